import type { CniConfig } from '../../kubernetes/model/cluster.ts';
import { cidrContains, cidrLast, cidrOf, cidrsOverlap, isIpv4Cidr, parseCidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { addToIp, compareIp, familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { shareRing } from './ring.ts';
import { invariant } from '../../support/invariant.ts';
import { once } from '../../support/once.ts';
import type { Drafts, NodeDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

const DEFAULT_POD_CIDR = constant('10.244.0.0/16');
const DOCKER_POD_CIDR = constant('172.17.0.0/16');
/** IPALLOC_RANGE */
const WEAVE_POD_CIDR = constant('10.32.0.0/12');
const DEFAULT_SERVICE_CIDR = constant('10.96.0.0/12');
/** Made when it is asked for: the first IPv6 address that is read costs a start more than all IPv4 ones. */
const defaultServiceCidr6 = once(() => constant('fd00:10:96::/112'));

function constant(text: string): Cidr {
  const cidr = parseCidr(text);
  invariant(cidr !== null, text);
  return cidr;
}

/**
 * The pod ranges: as given, else kube-proxy's clusterCIDR, else the smallest range that holds what the nodes have (a dump of a
 * cluster with another range than 10.244.0.0/16), else the default of the CNI.
 */
export function resolvePodCidrs(drafts: Drafts, cni: CniConfig): readonly Cidr[] {
  if (drafts.cluster.podCidrs !== undefined) return drafts.cluster.podCidrs;
  const configured = drafts.kubeProxyObject?.clusterCidrs;
  if (configured !== undefined && configured.length > 0) return configured;
  const fallback = defaultPodCidr(cni);
  const given = isShareOfRing(drafts, cni) ? drafts.nodes.flatMap((node) => node.podCidrs ?? []) : [];
  const out: Cidr[] = [];
  for (const family of [4, 6] as const) {
    const mine = given.filter((cidr) => familyOf(cidr.address) === family);
    const widest = family === 4 ? 16 : 56;
    const common = smallestCidr(mine.flatMap((cidr) => [cidr.address, cidrLast(cidr)]));
    if (common === null) {
      if (family === 4 && given.length === 0) out.push(fallback);
    } else if (family === 4 && mine.every((cidr) => fallback.length <= cidr.length && cidrsOverlap(fallback, cidr)))
      out.push(fallback);
    else out.push(common.length > widest ? cidrOf(common.address, widest) : common);
  }
  return out;
}

function defaultPodCidr({ plugin }: CniConfig): Cidr {
  switch (plugin) {
    case 'docker':
      return DOCKER_POD_CIDR;
    case 'weave':
      return WEAVE_POD_CIDR;
    case 'none':
    case 'bridge':
    case 'flannel':
      return DEFAULT_POD_CIDR;
  }
}

/**
 * Do the nodes' ranges mean anything? Weave Net does not read those of Node objects: where a pod has an address that is not of its node's,
 * they are the controller manager's only.
 */
function isShareOfRing({ nodes, pods }: Drafts, { plugin }: CniConfig): boolean {
  if (plugin !== 'weave') return true;
  const ranges = new Map(nodes.map(({ name, podCidrs = [] }) => [name, podCidrs]));
  return pods.every((pod) => {
    // Those of workloads have no addresses yet.
    const { node, addresses = [], hostNetwork } = 'template' in pod ? pod.template : pod;
    const own = node === undefined || hostNetwork === true ? [] : (ranges.get(node) ?? []);
    return own.length === 0 || addresses.every((address) => own.some((cidr) => cidrContains(cidr, address)));
  });
}

/**
 * The service ranges: as given, else 10.96.0.0/12, unless a given `kubernetes` service stands elsewhere: then the /16 around it. Where pods
 * have IPv6 there is a range of IPv6 as well: fd00:10:96::/112, or the /112 around a given address.
 */
export function resolveServiceCidrs(drafts: Drafts, podCidrs: readonly Cidr[]): readonly Cidr[] {
  if (drafts.cluster.serviceCidrs !== undefined) return drafts.cluster.serviceCidrs;
  const api = drafts.services.find((s) => s.namespace === 'default' && s.name === 'kubernetes')?.clusterIps?.[0];
  const outside = api !== undefined && ![DEFAULT_SERVICE_CIDR, defaultServiceCidr6()].some((range) => cidrContains(range, api));
  const families = new Set(podCidrs.map(({ address }) => familyOf(address)));
  const usual = families.has(6) && !families.has(4) ? defaultServiceCidr6() : DEFAULT_SERVICE_CIDR;
  const first = outside ? cidrOf(api, familyOf(api) === 4 ? 16 : 112) : usual;
  const otherFamily = drafts.services.flatMap((s) => s.clusterIps ?? []).find((ip) => familyOf(ip) !== familyOf(first.address));
  if (otherFamily !== undefined && !cidrContains(defaultServiceCidr6(), otherFamily)) {
    return [first, cidrOf(otherFamily, familyOf(otherFamily) === 4 ? 16 : 112)];
  }
  const isDual = otherFamily !== undefined || families.size > 1;
  return isDual ? [first, familyOf(first.address) === 4 ? defaultServiceCidr6() : DEFAULT_SERVICE_CIDR] : [first];
}

/** The longest prefix that holds all addresses of one family; null for none. */
export function smallestCidr(addresses: readonly IpAddress[]): Cidr | null {
  const sorted = [...addresses].sort(compareIp);
  const low = sorted[0];
  const high = sorted.at(-1);
  if (low === undefined || high === undefined) return null;
  for (let length = familyOf(low) === 4 ? 32 : 128; length > 0; length--) {
    const cidr = cidrOf(low, length);
    if (cidrContains(cidr, high)) return cidr;
  }
  return cidrOf(low, 0);
}

/**
 * Pod ranges of the nodes: given ones, else /24s (IPv6: /64s) of the cluster's in order, skipping those that overlap a given one,
 * as the controller manager's range allocator. A range too small to divide, and docker's on a lone host, goes to a node whole.
 */
export function resolveNodeCidrs(
  nodes: readonly NodeDraft[],
  podCidrs: readonly Cidr[],
  cni: CniConfig,
  problems: Problems,
): ReadonlyMap<string, readonly Cidr[]> {
  if (cni.plugin === 'weave') return resolveShares(nodes, podCidrs, problems);
  const given = nodes.flatMap((node) => node.podCidrs ?? []);
  const pools = podCidrs.map((cidr) => pool(cidr, cni.plugin === 'docker' && nodes.length === 1, given));
  const out = new Map<string, readonly Cidr[]>();
  for (const node of nodes) {
    if (node.podCidrs !== undefined) {
      out.set(node.name, node.podCidrs);
      continue;
    }
    const cidrs = pools.flatMap((next) => next() ?? []);
    if (cidrs.length < pools.length) {
      exhausted(node, problems);
    }
    out.set(node.name, cidrs);
  }
  return out;
}

function exhausted({ name, position }: NodeDraft, problems: Problems): void {
  problems.error('range-exhausted', `The pod range has no room for node ${name}`, position, 'Give a wider cluster.podCIDR');
}

/** Shares of Weave Net's ring, which is of IPv4. Ranges outside it are not Weave's. */
function resolveShares(
  nodes: readonly NodeDraft[],
  podCidrs: readonly Cidr[],
  problems: Problems,
): ReadonlyMap<string, readonly Cidr[]> {
  const range = podCidrs.find(isIpv4Cidr);
  if (range === undefined) return new Map();
  const given = new Map(nodes.flatMap(({ name, podCidrs: own = [] }) => own.filter(isIpv4Cidr).map((cidr) => [name, cidr])));
  const names = nodes.map(({ name }) => name);
  const shares = shareRing(range, names, given);
  for (const node of nodes) if (!shares.has(node.name)) exhausted(node, problems);
  return new Map([...shares].map(([name, cidr]) => [name, [cidr]]));
}

/** Hands out the node ranges of one cluster range, one a call; null when there are no more. */
function pool(cluster: Cidr, whole: boolean, given: readonly Cidr[]): () => Cidr | null {
  const wanted = isIpv4Cidr(cluster) ? 24 : 64;
  const length = whole ? cluster.length : Math.max(wanted, cluster.length);
  const taken = given.filter((cidr) => cidrsOverlap(cluster, cidr));
  let next: IpAddress | null = cluster.address;
  return () => {
    while (next !== null) {
      const cidr: Cidr = cidrOf(next, length);
      const after = addToIp(cidrLast(cidr), 1);
      next = after > cidr.address && cidrContains(cluster, after) ? after : null;
      if (!taken.some((other) => cidrsOverlap(cidr, other))) return cidr;
    }
    return null;
  };
}
