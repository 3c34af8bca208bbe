import type { Diagnose } from './evidence.ts';
import { acceptUdp, causeAt, chainOf, describePacket, describeRule, onHost, packetAt } from './evidence.ts';
import { droppingRule } from './dropped-by-rule.ts';

/** tunnel-blocked: the overlay's own packet between nodes was dropped by a firewall, or came to where no tunnel ends. */
export const tunnelBlocked: Diagnose = (_evidence, site) => {
  if (!site.drop?.outer) return null;
  const packet = packetAt(site);
  const what = `the tunnel's packet ${describePacket(packet)}`;
  const dropping = droppingRule(site);
  if (dropping) {
    const { event, index } = dropping;
    const by = event.kind === 'rule' ? describeRule(event) : `the policy of ${chainOf(event)}`;
    return causeAt(
      site,
      'tunnel-blocked',
      `${site.host} dropped ${what}, which carries the pods' traffic, by ${by}`,
      [onHost(site.host, acceptUdp(event, packet?.dport))],
      index,
    );
  }
  if (site.drop.reason === 'NO_SOCKET' || site.drop.reason === 'VXLAN_VNI_NOT_FOUND') {
    return causeAt(site, 'tunnel-blocked', `${what} came to ${site.host}, where no tunnel with that port and VNI ends`, null);
  }
  return null;
};
