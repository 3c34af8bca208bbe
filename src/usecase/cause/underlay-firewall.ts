import type { FirewallRule } from '../../kubernetes/model/cluster.ts';
import { causeAt, describePacket, packetAt } from './evidence.ts';
import type { Diagnose, Evidence } from './evidence.ts';

/** tunnel-blocked, rule-drop: `underlay.firewall` of the scenario drops frames between the nodes: the overlay's, or the packet itself. */
export const underlayFirewall: Diagnose = (evidence, site) => {
  if (site.drop?.reason !== 'FIREWALL') return null;
  const packet = describePacket(packetAt(site));
  const remedy = liftedRules(evidence, packetAt(site));
  if (!site.drop.outer)
    return causeAt(site, 'rule-drop', `a firewall between the nodes (underlay.firewall) drops ${packet}`, remedy);
  const text = `a firewall between the nodes (underlay.firewall) drops the tunnel's packet ${packet}, which carries the pods' traffic`;
  return causeAt(site, 'tunnel-blocked', text, remedy);
};

/** How to take out the scenario's lines that may have dropped a packet, as it has them; null: there are none. */
export function liftedRules(
  { cluster }: Evidence,
  packet: { readonly protocol: string; readonly dport?: number } | null,
): readonly string[] | null {
  const fits = ({ protocol, port }: FirewallRule): boolean =>
    (protocol === null || protocol === packet?.protocol) && (port === null || port === packet?.dport);
  const lines = cluster.underlay.firewall.filter(fits).map((rule) => `take \`${asWritten(rule)}\` out of underlay.firewall`);
  return lines.length > 0 ? lines : null;
}

function asWritten({ protocol, port, from, to }: FirewallRule): string {
  const what = `${protocol ?? 'all'}${port === null ? '' : `/${port}`}`;
  return `{ drop: ${what}${from === null ? '' : `, from: ${from}`}${to === null ? '' : `, to: ${to}`} }`;
}
