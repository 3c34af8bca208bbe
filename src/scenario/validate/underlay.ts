import type { Cluster, Node, SourcePosition } from '../../kubernetes/model/cluster.ts';
import { cidrContains, formatCidr, sameCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { nearest } from '../../support/nearest.ts';
import type { Drafts } from '../drafts.ts';
import { rangesOf } from '../resolve/underlay.ts';
import type { Problems } from '../reading/problems.ts';

interface Holder {
  readonly what: string;
  readonly position: SourcePosition | null;
}

/** Nodes and external hosts: two with one address on one link, nodes outside every range, interfaces in no subnet. */
export function validateUnderlay(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  const { nodeCidr, router, second, subnets } = cluster.underlay;
  const nodeRanges = rangesOf({ cidr: nodeCidr, router, ...(second && { second }) });
  const link = new Link(problems);
  for (const range of nodeRanges) {
    const given = drafts.underlay.nodeCidrs?.some((cidr) => sameCidr(cidr, range.cidr)) ?? false;
    if (given) link.hold(range.router, { what: `the router of underlay.nodeCIDR ${formatCidr(range.cidr)}`, position: null });
  }
  const links = new Map(subnets.map((subnet) => [subnet.name, new Link(problems)]));
  for (const subnet of subnets) {
    const holder = { what: `the router of subnet ${subnet.name}`, position: null };
    for (const range of rangesOf(subnet)) {
      links.get(subnet.name)?.hold(range.router, holder);
      if (!nodeRanges.some(({ cidr }) => cidr.address === range.cidr.address)) link.hold(range.router, holder);
    }
  }
  const ranges = [...nodeRanges, ...subnets.flatMap(rangesOf)];
  for (const node of cluster.nodes) {
    const holder = { what: `node ${node.name}`, position: node.position };
    for (const address of node.addresses) link.hold(address, holder);
    for (const extra of node.extraAddresses) link.hold(extra.address, holder);
    if (node.addresses.length > 0 && !node.addresses.some((a) => ranges.some(({ cidr }) => cidrContains(cidr, a)))) {
      const message = `Node ${node.name} is outside underlay.nodeCIDR ${formatCidr(nodeCidr)}`;
      problems.error('outside-range', message, node.position, 'All nodes are in it, or in a range of underlay.subnets');
    }
    holdInterfaces(node, holder, links, problems);
  }
  for (const external of cluster.externals) {
    const holder = { what: `external host ${external.name}`, position: external.position };
    for (const address of external.addresses) link.hold(address, holder);
  }
}

/** An interface without a subnet is on a link of its own, as that of a virtual machine's private NAT. */
function holdInterfaces(node: Node, holder: Holder, links: ReadonlyMap<string, Link>, problems: Problems): void {
  for (const { name, address, subnet } of [...(node.firstInterface ? [node.firstInterface] : []), ...node.interfaces]) {
    if (subnet === null) continue;
    const link = links.get(subnet);
    if (link !== undefined) {
      link.hold(address, holder);
      continue;
    }
    const like = nearest(subnet, links.keys());
    const hint = like === null ? 'Give it under underlay.subnets' : `Did you mean "${like}"?`;
    problems.error(
      'unknown-subnet',
      `Interface ${name} of node ${node.name} is in subnet "${subnet}", which is not given`,
      node.position,
      hint,
    );
  }
}

/** Who holds which address of one link. */
class Link {
  readonly #holders = new Map<IpAddress, Holder>();
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  hold(address: IpAddress, holder: Holder): void {
    const other = this.#holders.get(address);
    if (other === undefined) this.#holders.set(address, holder);
    else if (other.what !== holder.what) {
      const message = `${formatIp(address)} is held by ${other.what} and by ${holder.what}`;
      this.#problems.error('duplicate-address', message, holder.position);
    }
  }
}
