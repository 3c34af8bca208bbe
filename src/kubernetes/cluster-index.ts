import { cidrOf, isIpv4Cidr } from '../net/cidr.ts';
import { isIpv4 } from '../net/ip.ts';
import { once } from '../support/once.ts';
import type { Cidr } from '../net/cidr.ts';
import type { IpAddress, Ipv4 } from '../net/ip.ts';
import type { Cluster, ExternalHost, Node, Pod } from './model/cluster.ts';

type Ipv4Cidr = Extract<Cidr, { address: Ipv4 }>;

/** Look-ups in a cluster, each made when first needed and shared by all hosts. */
export interface ClusterIndex {
  readonly cluster: Cluster;
  node(name: string): Node | undefined;
  /** By "namespace/name". */
  pod(key: string): Pod | undefined;
  external(name: string): ExternalHost | undefined;
  /** Pods of a node in the order of the file, hostNetwork ones included. */
  podsOf(node: string): readonly Pod[];
  /** Nodes whose IPv4 pod range holds the address, longest range first. */
  nodesByPodAddress(address: IpAddress): readonly Node[];
}

export function indexCluster(cluster: Cluster): ClusterIndex {
  const nodes = once(() => new Map(cluster.nodes.map((node) => [node.name, node])));
  const pods = scannedAtFirst(
    (key: string) => cluster.pods.find((pod) => isKeyOf(key, pod)),
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
  return {
    cluster,
    node: (name) => nodes().get(name),
    pod: pods,
    external: (name) => externals().get(name),
    podsOf,
    nodesByPodAddress: (address) =>
      ranges().flatMap(({ length, nodesOf }) => (isIpv4(address) ? (nodesOf.get(cidrOf(address, length).address) ?? []) : [])),
  };
}

/** "namespace/name", as hashes and host names have it. */
export function podKey(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return `${pod.namespace}/${pod.name}`;
}

/** A node's address on the underlay; null for a node without IPv4. */
export function nodeAddress(node: Node): Ipv4 | null {
  return node.addresses.find(isIpv4) ?? null;
}

export function podAddress(pod: Pod): Ipv4 | null {
  return pod.addresses.find(isIpv4) ?? null;
}

/** A node's IPv4 pod range; null when it has none. */
export function podRange(node: Node): Ipv4Cidr | null {
  return node.podCidrs.find(isIpv4Cidr) ?? null;
}

/** The cluster's IPv4 pod range; null when it has none. */
export function clusterPodRange(cluster: Cluster): Ipv4Cidr | null {
  return cluster.podCidrs.find(isIpv4Cidr) ?? null;
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

function isKeyOf(key: string, { namespace, name }: Pod): boolean {
  return key.length === namespace.length + 1 + name.length && key.endsWith(name) && key === `${namespace}/${name}`;
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

function podRanges(nodes: readonly Node[]): { readonly length: number; readonly nodesOf: Map<IpAddress, Node[]> }[] {
  const levels = new Map<number, Map<IpAddress, Node[]>>();
  for (const node of nodes) {
    const range = podRange(node);
    if (range === null) continue;
    const level = levels.get(range.length) ?? new Map<IpAddress, Node[]>();
    levels.set(range.length, level);
    level.set(range.address, [...(level.get(range.address) ?? []), node]);
  }
  return [...levels].sort(([a], [b]) => b - a).map(([length, nodesOf]) => ({ length, nodesOf }));
}
