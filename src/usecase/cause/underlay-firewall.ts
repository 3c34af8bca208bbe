import type { FirewallRule } from '../../kubernetes/model/cluster.ts';
import { causeAt, describePacket, packetAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

/** tunnel-blocked, rule-drop: `underlay.firewall` of the scenario drops frames between the nodes: the overlay's, or the packet itself. */
export const underlayFirewall: Diagnose = (evidence, site) => {
  if (site.drop?.reason !== 'FIREWALL') return null;
  const packet = describePacket(packetAt(site));
  const remedy = liftedRules(evidence, site);
  if (!site.drop.outer)
    return causeAt(site, 'rule-drop', `a firewall between the nodes (underlay.firewall) drops ${packet}`, remedy);
  const text = `a firewall between the nodes (underlay.firewall) drops the tunnel's packet ${packet}, which carries the pods' traffic`;
  return causeAt(site, 'tunnel-blocked', text, remedy);
};

/** The scenario's lines that may have dropped the packet, as it has them. */
function liftedRules({ cluster }: Evidence, site: Site): readonly string[] | null {
  const packet = packetAt(site);
  const fits = ({ protocol, port }: FirewallRule): boolean =>
    (protocol === null || protocol === packet?.protocol) && (port === null || port === packet?.dport);
  const lines = cluster.underlay.firewall.filter(fits).map((rule) => `take \`${asWritten(rule)}\` out of underlay.firewall`);
  return lines.length > 0 ? lines : null;
}

function asWritten({ protocol, port, from, to }: FirewallRule): string {
  const what = `${protocol ?? 'all'}${port === null ? '' : `/${port}`}`;
  return `{ drop: ${what}${from === null ? '' : `, from: ${from}`}${to === null ? '' : `, to: ${to}`} }`;
}
