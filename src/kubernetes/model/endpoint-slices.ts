import { familyOf, formatIp } from '../../net/ip.ts';
import type { Cluster, Endpoint, EndpointSlice, KubernetesVersion, Node, Pod, Service } from './cluster.ts';

/** What the derivation reads of a cluster. */
export type EndpointSources = Pick<Cluster, 'kubernetesVersion' | 'nodes' | 'pods' | 'services'>;

const ZONE_LABEL = 'topology.kubernetes.io/zone';

/**
 * The slices that the EndpointSlice controller keeps for services with a selector (pkg/controller/endpointslice,
 * staging/endpointslice `podToEndpoint`, `getEndpointPorts`), except those named in `given` ("namespace/name"), whose endpoints the
 * input states itself. One slice for each family of the service and each set of target ports; slices are not split at 100
 * endpoints, which nobody can tell from the rules.
 */
export function deriveEndpointSlices(cluster: EndpointSources, given: ReadonlySet<string>): readonly EndpointSlice[] {
  const selecting = cluster.services.filter((s) => s.selector !== null && s.type !== 'ExternalName' && !given.has(`${s.namespace}/${s.name}`));
  if (selecting.length === 0) return [];
  const index = indexByLabel(cluster.pods);
  const zones = new Map(cluster.nodes.map((node) => [node.name, node.labels[ZONE_LABEL] ?? '']));
  return selecting.flatMap((service) => {
    const pods = selectPods(index, service.namespace, service.selector ?? {});
    return service.ipFamilies.flatMap((family) => slicesOf(service, family, pods, zones, cluster.kubernetesVersion));
  });
}

/** Pods by namespace and one label: "namespace key=value". */
type LabelIndex = ReadonlyMap<string, readonly Pod[]>;

/** Thousands of services select among as many pods: looking at every pair would be slow. */
function indexByLabel(pods: readonly Pod[]): LabelIndex {
  const index = new Map<string, Pod[]>();
  for (const pod of pods) {
    for (const key of Object.keys(pod.labels)) {
      const entry = labelKey(pod.namespace, key, pod.labels[key]);
      const list = index.get(entry);
      if (list === undefined) index.set(entry, [pod]);
      else list.push(pod);
    }
  }
  return index;
}

function labelKey(namespace: string, key: string, value: string | undefined): string {
  return `${namespace} ${key}=${value}`;
}

/** The pods of a namespace that carry every label of a selector, which is not empty. */
function selectPods(index: LabelIndex, namespace: string, selector: Readonly<Record<string, string>>): readonly Pod[] {
  const wanted = Object.entries(selector);
  let fewest: readonly Pod[] | null = null;
  for (const [key, value] of wanted) {
    const pods = index.get(labelKey(namespace, key, value)) ?? [];
    if (fewest === null || pods.length < fewest.length) fewest = pods;
  }
  return (fewest ?? []).filter((pod) => wanted.every(([key, value]) => pod.labels[key] === value));
}

function slicesOf(
  service: Service,
  family: 4 | 6,
  pods: readonly Pod[],
  zones: ReadonlyMap<string, string>,
  version: KubernetesVersion,
): readonly EndpointSlice[] {
  const slices = new Map<string, { readonly ports: EndpointSlice['ports']; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    const address = pod.addresses.find((a) => familyOf(a) === family);
    if (address === undefined) continue;
    const ports = portsOn(service, pod);
    const key = JSON.stringify(ports);
    const slice = slices.get(key) ?? { ports, endpoints: [] };
    slices.set(key, slice);
    slice.endpoints.push({
      addresses: [formatIp(address)],
      ready: service.publishNotReadyAddresses || (pod.serving && !pod.terminating),
      serving: pod.serving,
      terminating: pod.terminating,
      nodeName: pod.node,
      pod: `${pod.namespace}/${pod.name}`,
      ...hintsFor(service, pod.node, zones, version),
    });
  }
  return [...slices.values()].map(({ ports, endpoints }, i) => ({
    namespace: service.namespace,
    name: `${service.name}-ipv${family}${i === 0 ? '' : `-${i + 1}`}`,
    service: service.name,
    addressType: family === 4 ? 'IPv4' : 'IPv6',
    ports,
    endpoints,
    derived: true,
  }));
}

/** The service's ports as this pod has them; a named target port that the pod doesn't declare is left out. */
function portsOn(service: Service, pod: Pod): EndpointSlice['ports'] {
  return service.ports.flatMap(({ name, protocol, targetPort }) => {
    const port =
      typeof targetPort === 'number' ? targetPort : pod.ports.find((p) => p.name === targetPort && p.protocol === protocol)?.port;
    return port === undefined ? [] : [{ name, protocol, port }];
  });
}

/**
 * Hints of `spec.trafficDistribution`: the endpoint's own zone, from 1.31 on (gate ServiceTrafficDistribution), and its own node
 * with PreferSameNode, from 1.34 on (gate PreferSameTrafficDistribution). The CPU-weighted hints of the annotation
 * topology-mode are not derived: they depend on the capacity of the nodes.
 */
function hintsFor(
  service: Service,
  node: Node['name'],
  zones: ReadonlyMap<string, string>,
  { major, minor }: KubernetesVersion,
): Pick<Endpoint, 'hintZones' | 'hintNodes'> {
  const zone = zones.get(node) ?? '';
  const distribution = service.trafficDistribution;
  const since = (wanted: number): boolean => major > 1 || minor >= wanted;
  const byZone = (distribution === 'PreferClose' && since(31)) || ((distribution === 'PreferSameZone' || distribution === 'PreferSameNode') && since(34));
  return {
    hintZones: byZone && zone !== '' ? [zone] : [],
    hintNodes: distribution === 'PreferSameNode' && since(34) ? [node] : [],
  };
}
