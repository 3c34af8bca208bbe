import type { Cluster, Pod, SourcePosition } from '../../kubernetes/model/cluster.ts';
import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Drafts } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

interface Holder {
  readonly what: string;
  readonly position: SourcePosition | null;
}

/** Two hosts with one address on one link, and addresses outside their range. */
export function validateAddresses(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  validateUnderlay(cluster, drafts, problems);
  validatePods(cluster, problems);
  validateClusterIps(cluster, problems);
}

function validateUnderlay(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  const { nodeCidr, router, subnets } = cluster.underlay;
  const links = new Links(problems);
  const given = drafts.underlay.nodeCidr !== undefined;
  if (given) links.hold(router, { what: `the router of underlay.nodeCIDR ${formatCidr(nodeCidr)}`, position: null });
  for (const subnet of subnets) {
    if (subnet.cidr.address !== nodeCidr.address)
      links.hold(subnet.router, { what: `the router of subnet ${subnet.name}`, position: null });
  }
  for (const node of cluster.nodes) {
    const holder = { what: `node ${node.name}`, position: node.position };
    for (const address of node.addresses) links.hold(address, holder);
    for (const extra of node.extraAddresses) links.hold(extra.address, holder);
    const onLink =
      node.addresses.length === 0 ||
      node.addresses.some((a) => [nodeCidr, ...subnets.map((s) => s.cidr)].some((c) => cidrContains(c, a)));
    if (!onLink) {
      const message = `Node ${node.name} is outside underlay.nodeCIDR ${formatCidr(nodeCidr)}`;
      problems.error('outside-range', message, node.position, 'All nodes are in it, or in a range of underlay.subnets');
    }
  }
  for (const external of cluster.externals) {
    const holder = { what: `external host ${external.name}`, position: external.position };
    for (const address of external.addresses) links.hold(address, holder);
  }
}

/** Who holds which address of one link. */
class Links {
  readonly #holders = new Map<IpAddress, Holder>();
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  hold(address: IpAddress, holder: Holder): void {
    const other = this.#holders.get(address);
    if (other === undefined) this.#holders.set(address, holder);
    else if (other.what !== holder.what) {
      this.#problems.error(
        'duplicate-address',
        `${formatIp(address)} is held by ${other.what} and by ${holder.what}`,
        holder.position,
      );
    }
  }
}

function validatePods(cluster: Cluster, problems: Problems): void {
  const holders = new Map<IpAddress, Pod>();
  const nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
  for (const pod of cluster.pods) {
    if (pod.hostNetwork) continue;
    const ranges = nodes.get(pod.node)?.podCidrs ?? [];
    for (const address of pod.addresses) {
      const other = holders.get(address);
      if (other !== undefined) tellSharedAddress(address, other, pod, problems);
      holders.set(address, pod);
      if (ranges.length > 0 && !ranges.some((range) => cidrContains(range, address))) {
        const where = `the pod range of node ${pod.node} (${ranges.map(formatCidr).join(', ')})`;
        problems.warning(
          'outside-range',
          `${formatIp(address)} of pod ${pod.namespace}/${pod.name} is outside ${where}`,
          pod.position,
        );
      }
    }
  }
}

/** Two pods on one bridge can't have one address; on two nodes it is legal, and one of them is out of reach. */
function tellSharedAddress(address: IpAddress, first: Pod, second: Pod, problems: Problems): void {
  const message = `${formatIp(address)} is held by pod ${first.namespace}/${first.name} and by pod ${second.namespace}/${second.name}`;
  if (first.node === second.node) problems.error('duplicate-address', message, second.position);
  else problems.warning('duplicate-address', message, second.position);
}

function validateClusterIps(cluster: Cluster, problems: Problems): void {
  const holders = new Map<IpAddress, string>();
  for (const service of cluster.services) {
    const name = `${service.namespace}/${service.name}`;
    for (const ip of service.clusterIps) {
      const other = holders.get(ip);
      if (other !== undefined) {
        problems.error(
          'duplicate-address',
          `Cluster IP ${formatIp(ip)} belongs to service ${other} and to ${name}`,
          service.position,
        );
      }
      holders.set(ip, name);
    }
  }
}
