import { formatEndpoint as withPort, formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, ExternalHost, Node, Pod, Service, Workload } from '../../kubernetes/model/cluster.ts';
import { ownAddressesOf } from '../../kubernetes/model/node-interfaces.ts';
import { nearest } from '../../support/nearest.ts';
import { found, refused } from './ref.ts';
import type { RefKind, Result } from './ref.ts';

type Named = { readonly namespace: string; readonly name: string };

export function findPod(cluster: Cluster, namespace: string, name: string): Result<Pod> {
  const pod = findNamespaced('pod', cluster.pods, namespace, name);
  if (pod.ok) return pod;
  const left = cluster.leftOutPods?.find((other) => other.name === name && other.namespace === namespace);
  return left ? refused(`pod "${namespace}/${name}" takes no part: ${left.why}`) : pod;
}

export function findService(cluster: Cluster, namespace: string, name: string): Result<Service> {
  return findNamespaced('service', cluster.services, namespace, name);
}

export function findNode(cluster: Cluster, name: string): Result<Node> {
  return findPlain('node', cluster.nodes, name);
}

export function findExternal(cluster: Cluster, name: string): Result<ExternalHost> {
  return findPlain('external host', cluster.externals, name);
}

const WORKLOAD_KINDS: Readonly<Partial<Record<RefKind, Workload['kind']>>> = {
  deploy: 'Deployment',
  sts: 'StatefulSet',
  ds: 'DaemonSet',
  rs: 'ReplicaSet',
};

/** The first pod of a workload, and how many it has. */
export function findWorkloadPod(
  cluster: Cluster,
  kind: RefKind,
  namespace: string,
  name: string,
): Result<{ readonly pod: Pod; readonly of: number }> {
  const wanted = WORKLOAD_KINDS[kind];
  const workload = findNamespaced(
    wanted ?? kind,
    cluster.workloads.filter((w) => w.kind === wanted),
    namespace,
    name,
  );
  if (!workload.ok) return workload;
  const pods = workload.value.pods;
  const first = cluster.pods.find((pod) => `${pod.namespace}/${pod.name}` === pods[0]);
  return first ? found({ pod: first, of: pods.length }) : refused(`${wanted} "${namespace}/${name}" has no pods`);
}

function findNamespaced<T extends Named>(what: string, all: readonly T[], namespace: string, name: string): Result<T> {
  const hit = all.find((object) => object.name === name && object.namespace === namespace);
  if (hit) return found(hit);
  const near = nearest(
    name,
    all.map((object) => object.name),
  );
  const alike = all.filter((object) => object.name === near);
  const best = alike.find((object) => object.namespace === namespace) ?? alike[0];
  return refused(`no ${what} "${namespace}/${name}"${didYouMean(best ? fullName(best) : null, all.map(fullName))}`);
}

function fullName(object: Named): string {
  return `${object.namespace}/${object.name}`;
}

function findPlain<T extends { readonly name: string }>(what: string, all: readonly T[], name: string): Result<T> {
  const hit = all.find((object) => object.name === name);
  if (hit) return found(hit);
  const names = all.map((object) => object.name);
  return refused(`no ${what} "${name}"${didYouMean(nearest(name, names), names)}`);
}

/** "; did you mean X?", or what there is when there is little. */
export function didYouMean(near: string | null, all: readonly string[]): string {
  if (near !== null) return `; did you mean ${near}?`;
  if (all.length === 0) return '; there is none at all';
  return all.length <= 5 ? `; there is ${all.join(', ')}` : '';
}

/** Who holds an address. A hostNetwork pod holds none of its own. */
export type Holder =
  | { readonly kind: 'pod'; readonly pod: Pod }
  | { readonly kind: 'node'; readonly node: Node; readonly primary: boolean }
  | { readonly kind: 'external'; readonly external: ExternalHost };

/** The pod, node or external host that has an address; null when nobody is known to. */
export function holderOf(cluster: Cluster, address: IpAddress): Holder | null {
  for (const pod of cluster.pods) if (!pod.hostNetwork && pod.addresses.includes(address)) return { kind: 'pod', pod };
  for (const node of cluster.nodes) {
    if (node.addresses.includes(address)) return { kind: 'node', node, primary: true };
    if (ownAddressesOf(node).includes(address)) return { kind: 'node', node, primary: false };
  }
  for (const external of cluster.externals) if (external.addresses.includes(address)) return { kind: 'external', external };
  return null;
}

/** "10.0.0.1:80", "[fd00::1]:80"; without port the bare address. */
export function formatEndpoint(address: IpAddress, port: number | null): string {
  return port === null ? formatIp(address) : withPort(address, port);
}
