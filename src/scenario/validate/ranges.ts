import type { Cluster, SourcePosition } from '../../kubernetes/model/cluster.ts';
import { cidrContains, cidrsOverlap, formatCidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import type { Drafts } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

interface Range {
  readonly what: string;
  readonly cidr: Cidr;
}

/** Pod, service and node ranges that overlap: routes then lead astray. */
export function validateRanges(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  const { nodeCidr, second } = cluster.underlay;
  const ranges: Range[] = [
    ...cluster.podCidrs.map((cidr) => ({ what: 'pod range', cidr })),
    ...(hasServices(cluster, drafts) ? cluster.serviceCidrs : []).map((cidr) => ({ what: 'service range', cidr })),
    { what: 'node range', cidr: nodeCidr },
    ...(second ? [{ what: 'node range', cidr: second.cidr }] : []),
  ];
  const position = drafts.cluster.rangesPosition ?? drafts.underlay.nodeCidrPosition ?? null;
  for (const [i, a] of ranges.entries()) {
    for (const b of ranges.slice(i + 1)) {
      if (familyOf(a.cidr.address) === familyOf(b.cidr.address) && cidrsOverlap(a.cidr, b.cidr))
        overlap(a, b, position, problems);
    }
  }
  validateNodeRanges(cluster, problems);
}

/** Without kube-proxy an assumed service range means nothing. */
function hasServices(cluster: Cluster, drafts: Drafts): boolean {
  return cluster.kubeProxy.mode !== 'none' || drafts.cluster.serviceCidrs !== undefined;
}

function overlap(a: Range, b: Range, position: SourcePosition | null, problems: Problems): void {
  const message = `The ${a.what} ${formatCidr(a.cidr)} and the ${b.what} ${formatCidr(b.cidr)} overlap`;
  problems.warning('overlapping-ranges', message, position);
}

function validateNodeRanges(cluster: Cluster, problems: Problems): void {
  const sorted = cluster.nodes.flatMap((node) => node.podCidrs.map((cidr) => ({ node, cidr })));
  sorted.sort(
    (a, b) =>
      familyOf(a.cidr.address) - familyOf(b.cidr.address) ||
      (a.cidr.address < b.cidr.address ? -1 : a.cidr.address > b.cidr.address ? 1 : a.cidr.length - b.cidr.length),
  );
  for (const [i, { node, cidr }] of sorted.entries()) {
    const before = sorted[i - 1];
    // Sorted by their first address, a range overlaps some earlier one exactly if it overlaps one of its neighbours' enclosing ranges.
    if (before !== undefined && familyOf(before.cidr.address) === familyOf(cidr.address) && cidrsOverlap(before.cidr, cidr)) {
      const message = `Nodes ${before.node.name} and ${node.name} have overlapping pod ranges ${formatCidr(before.cidr)} and ${formatCidr(cidr)}`;
      problems.warning('overlapping-ranges', message, node.position);
    }
    const ofFamily = cluster.podCidrs.filter((range) => familyOf(range.address) === familyOf(cidr.address));
    if (ofFamily.length > 0 && !ofFamily.some((range) => range.length <= cidr.length && cidrContains(range, cidr.address))) {
      const message = `The pod range ${formatCidr(cidr)} of node ${node.name} is outside the cluster's (${ofFamily.map(formatCidr).join(', ')})`;
      problems.warning('outside-range', message, node.position);
    }
  }
}
