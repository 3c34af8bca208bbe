import { cidrOf } from '../net/cidr.ts';
import { familyOf } from '../net/ip.ts';
import { once } from '../support/once.ts';
import type { Cidr } from '../net/cidr.ts';
import type { IpAddress, IpFamily } from '../net/ip.ts';
import type { Cluster, ExternalHost, Node, Pod } from './model/cluster.ts';

/** Look-ups in a cluster, each made when first needed and shared by all hosts. */
export interface ClusterIndex {
  readonly cluster: Cluster;
  node(name: string): Node | undefined;
  /** By "namespace/name". */
  pod(key: string): Pod | undefined;
  external(name: string): ExternalHost | undefined;
  /** Pods of a node in the order of the file, hostNetwork ones included. */
  podsOf(node: string): readonly Pod[];
  /** Nodes of which a pod range holds the address, longest range first. */
  nodesByPodAddress(address: IpAddress): readonly Node[];
  /** Is IPv6 on in this cluster's namespaces? It is where a node, a pod range or an external host has it. */
  readonly ipv6: boolean;
}

export function indexCluster(cluster: Cluster): ClusterIndex {
  const nodes = once(() => new Map(cluster.nodes.map((node) => [node.name, node])));
  const pods = scannedAtFirst(
    (key: string) => podWithKey(cluster.pods, key),
    () => {
      const byKey = new Map(cluster.pods.map((pod) => [podKey(pod), pod]));
      return (key) => byKey.get(key);
    },
  );
  const externals = once(() => new Map(cluster.externals.map((external) => [external.name, external])));
  const podsOf = scannedAtFirst<string, readonly Pod[]>(
    (node) => cluster.pods.filter((pod) => pod.node === node),
    () => {
      const byNode = groupBy(cluster.pods, (pod) => pod.node);
      return (node) => byNode.get(node) ?? [];
    },
  );
  const ranges = once(() => podRanges(cluster.nodes));
  const ipv6 = once(() => usesIpv6(cluster));
  return {
    cluster,
    node: (name) => nodes().get(name),
    pod: pods,
    external: (name) => externals().get(name),
    podsOf,
    nodesByPodAddress: (address) =>
      ranges().flatMap(({ family, length, nodesOf }) =>
        family === familyOf(address) ? (nodesOf.get(cidrOf(address, length).address) ?? []) : [],
      ),
    get ipv6() {
      return ipv6();
    },
  };
}

/** "namespace/name", as hashes and host names have it. */
export function podKey(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return `${pod.namespace}/${pod.name}`;
}

/** A node's address of a family on the underlay; null for a node without one. */
export function nodeAddress(node: Node, family: IpFamily): IpAddress | null {
  return node.addresses.find((address) => familyOf(address) === family) ?? null;
}

export function podAddress(pod: Pod, family: IpFamily): IpAddress | null {
  return pod.addresses.find((address) => familyOf(address) === family) ?? null;
}

/** A node's pod range of a family; null when it has none. */
export function podRange(node: Node, family: IpFamily): Cidr | null {
  return rangeOf(node.podCidrs, family);
}

/** The cluster's pod range of a family; null when it has none. */
export function clusterPodRange(cluster: Cluster, family: IpFamily): Cidr | null {
  return rangeOf(cluster.podCidrs, family);
}

/** The first of some ranges that is of a family; null for none. */
export function rangeOf(ranges: readonly Cidr[], family: IpFamily): Cidr | null {
  return ranges.find(({ address }) => familyOf(address) === family) ?? null;
}

/** A packet meets few pods and nodes: so many questions are answered by a scan, before an index of a large cluster pays. */
const SCANS = 8;

function scannedAtFirst<K, V>(scan: (key: K) => V, makeIndex: () => (key: K) => V): (key: K) => V {
  const index = once(makeIndex);
  let scans = 0;
  return (key) => {
    scans++;
    return scans <= SCANS ? scan(key) : index()(key);
  };
}

/** Neither a namespace nor a name has a slash in it. */
function podWithKey(pods: readonly Pod[], key: string): Pod | undefined {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, slash);
  const name = key.slice(slash + 1);
  return pods.find((pod) => pod.name === name && pod.namespace === namespace);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

interface RangeLevel {
  readonly family: IpFamily;
  readonly length: number;
  readonly nodesOf: Map<IpAddress, Node[]>;
}

function podRanges(nodes: readonly Node[]): readonly RangeLevel[] {
  const levels = new Map<string, RangeLevel>();
  for (const node of nodes) {
    for (const { address, length } of node.podCidrs) {
      const family = familyOf(address);
      const key = `${family} ${length}`;
      let level = levels.get(key);
      if (!level) {
        level = { family, length, nodesOf: new Map() };
        levels.set(key, level);
      }
      const there = level.nodesOf.get(address);
      if (there) there.push(node);
      else level.nodesOf.set(address, [node]);
    }
  }
  return [...levels.values()].sort((a, b) => b.length - a.length);
}

function usesIpv6({ podCidrs, nodes, externals }: Cluster): boolean {
  const isIpv6 = (address: IpAddress): boolean => familyOf(address) === 6;
  return (
    podCidrs.some(({ address }) => isIpv6(address)) || [...nodes, ...externals].some(({ addresses }) => addresses.some(isIpv6))
  );
}
