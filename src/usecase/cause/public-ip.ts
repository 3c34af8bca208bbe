import { cidrContains } from '../../net/cidr.ts';
import { familyOf, formatIp, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { candidatesOf, externalInterface, holding } from '../../kubernetes/model/external-interface.ts';
import type { Node } from '../../kubernetes/model/cluster.ts';
import type { CauseCode } from '../../trace/outcome.ts';
import { causeAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';

const ANNOTATION = 'flannel.alpha.coreos.com/public-ip';
const OVERWRITE = `${ANNOTATION}-overwrite`;

/** Where a packet to a wrong public IP may end, and the cause that this is. */
const CODES: Readonly<Record<string, CauseCode>> = {
  IP_INHDR: 'ttl-expired',
  IP_INNOROUTES: 'no-route',
  IP_OUTNOROUTES: 'no-route',
  NEIGH_FAILED: 'neighbour-failed',
  OTHERHOST: 'tunnel-blocked',
};

/**
 * ttl-expired, no-route, neighbour-failed, tunnel-blocked: the tunnel leads to the public IP that a node announces, and this is not the address
 * by which the other nodes know it. Where it is one of the sender's own, vxlan hands the packet back to its own device
 * (encap_bypass_if_local), and it goes round.
 */
export const wrongPublicIp: Diagnose = (evidence, site) => {
  const code = CODES[site.drop?.reason ?? ''];
  const node = code === undefined ? null : tunnelsTo(evidence, site);
  const announced = node && announcedIp(evidence, node);
  const right = node?.addresses.find((address) => typeof address === typeof announced);
  if (code === undefined || !node || announced === null || right === undefined || announced === right) return null;
  const goesRound = !site.drop?.outer;
  const own = site.events.some(
    (e) => e.kind === 'route' && e.purpose === 'tunnel' && e.table === 'local' && e.host === site.host,
  );
  const elsewhere = site.drop?.reason === 'OTHERHOST';
  if (goesRound && !own && !elsewhere) return null;
  const fate = elsewhere
    ? `but ${site.host} has that address, and its tunnel does not take what is for another node`
    : goesRound
      ? `an address of ${site.host} itself: what it sends there comes out of its own tunnel again, until the TTL ends`
      : `but ${site.host} knows no way to that address`;
  const text = `flannel's tunnel to the pods of node/${node.name} leads to ${formatIp(announced)}, which that node announces as its public IP, ${fate}`;
  return causeAt(site, code, text, [remedyFor(node, announced, right)]);
};

/** What a node's daemon tells the others: the annotation, or the address of the interface that it takes. */
function announcedIp({ cluster }: Evidence, node: Node): IpAddress | null {
  const text = node.annotations[OVERWRITE] ?? node.annotations[ANNOTATION];
  if (text !== undefined) return parseIp(text);
  const wanted = cluster.cni.plugin === 'flannel' ? (cluster.cni.iface ?? []) : [];
  return externalInterface(candidatesOf(node), wanted, 4)?.address ?? null;
}

/**
 * Another interface needs flanneld told which. Where the address is on the right one, or on none, it is enough to announce another: the
 * tunnel's packets come from the interface's address whatever is announced.
 */
function remedyFor(node: Node, announced: IpAddress, right: IpAddress): string {
  const candidates = candidatesOf(node);
  const deviceOf = (address: IpAddress): string | undefined => holding(candidates, address, familyOf(address))?.uplink.device;
  const taken = deviceOf(announced);
  const device = deviceOf(right);
  if (taken !== undefined && device !== undefined && taken !== device) {
    const patch = JSON.stringify([{ op: 'add', path: '/spec/template/spec/containers/0/args/-', value: `--iface=${device}` }]);
    return `kubectl -n kube-flannel patch daemonset kube-flannel-ds --type=json -p '${patch}'  # in a scenario: cni.iface`;
  }
  const command = `kubectl annotate --overwrite node ${node.name} ${OVERWRITE}=${formatIp(right)}`;
  return `${command}  # or start flanneld with --iface`;
}

/** The node behind whose tunnel the packet's destination is. */
function tunnelsTo({ cluster }: Evidence, site: Site): Node | null {
  if (cluster.cni.plugin !== 'flannel') return null;
  const inner = site.events.slice(0, site.index + 1).findLast((e) => e.packet && !e.outer)?.packet?.dst;
  const address = inner === undefined ? null : parseIp(inner);
  if (address === null) return null;
  return cluster.nodes.find((node) => node.podCidrs.some((range) => cidrContains(range, address))) ?? null;
}
