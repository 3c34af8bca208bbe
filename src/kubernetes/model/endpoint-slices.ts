import { familyOf, formatIp } from '../../net/ip.ts';
import type { Cluster, Endpoint, EndpointSlice, KubernetesVersion, Node, Pod, Service } from './cluster.ts';

/** What the derivation reads of a cluster. */
export type EndpointSources = Pick<Cluster, 'kubernetesVersion' | 'nodes' | 'pods' | 'services'>;

const NO_HINTS: Pick<Endpoint, 'hintZones' | 'hintNodes'> = { hintZones: [], hintNodes: [] };
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/**
 * The slices that the EndpointSlice controller keeps for services with a selector (pkg/controller/endpointslice,
 * staging/endpointslice `podToEndpoint`, `getEndpointPorts`), except those named in `given` ("namespace/name"), whose endpoints the
 * input states itself. One slice for each family of the service and each set of target ports; slices are not split at 100
 * endpoints, which nobody can tell from the rules.
 */
export function deriveEndpointSlices(cluster: EndpointSources, given: ReadonlySet<string>): readonly EndpointSlice[] {
  const selecting = cluster.services.filter(
    (s) => s.selector !== null && s.type !== 'ExternalName' && !given.has(`${s.namespace}/${s.name}`),
  );
  if (selecting.length === 0) return [];
  const index = indexByLabel(cluster.pods, new Set(selecting.flatMap((s) => Object.keys(s.selector ?? {}))));
  const zones = new Map(cluster.nodes.map((node) => [node.name, node.labels[ZONE_LABEL] ?? '']));
  return selecting.flatMap((service) => {
    const pods = selectPods(index, service.namespace, service.selector ?? {});
    return service.ipFamilies.flatMap((family) => slicesOf(service, family, pods, zones, cluster.kubernetesVersion));
  });
}

/** Pods by namespace, label key and value. */
type LabelIndex = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, readonly Pod[]>>>;

/** Thousands of services select among as many pods: looking at every pair would be slow. Only keys that some selector asks for count. */
function indexByLabel(pods: readonly Pod[], keys: ReadonlySet<string>): LabelIndex {
  const index = new Map<string, Map<string, Map<string, Pod[]>>>();
  for (const pod of pods) {
    for (const key of Object.keys(pod.labels)) {
      if (!keys.has(key)) continue;
      const ofNamespace = getOrSet(index, pod.namespace, () => new Map<string, Map<string, Pod[]>>());
      const ofKey = getOrSet(ofNamespace, key, () => new Map<string, Pod[]>());
      getOrSet(ofKey, pod.labels[key] ?? '', (): Pod[] => []).push(pod);
    }
  }
  return index;
}

function getOrSet<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** The pods of a namespace that carry every label of a selector, which is not empty. */
function selectPods(index: LabelIndex, namespace: string, selector: Readonly<Record<string, string>>): readonly Pod[] {
  const wanted = Object.entries(selector);
  const ofNamespace = index.get(namespace);
  let fewest: readonly Pod[] | null = null;
  for (const [key, value] of wanted) {
    const pods = ofNamespace?.get(key)?.get(value) ?? [];
    if (fewest === null || pods.length < fewest.length) fewest = pods;
  }
  return wanted.length === 1
    ? (fewest ?? [])
    : (fewest ?? []).filter((pod) => wanted.every(([key, value]) => pod.labels[key] === value));
}

function slicesOf(
  service: Service,
  family: 4 | 6,
  selected: readonly Pod[],
  zones: ReadonlyMap<string, string>,
  version: KubernetesVersion,
): readonly EndpointSlice[] {
  const slices = new Map<string, { readonly ports: EndpointSlice['ports']; readonly pods: Pod[] }>();
  // Numbered ports are the same on every pod.
  const samePorts = service.ports.every((port) => typeof port.targetPort === 'number') ? portsOn(service, null) : null;
  for (const pod of selected) {
    if (!pod.addresses.some((a) => familyOf(a) === family)) continue;
    const ports = samePorts ?? portsOn(service, pod);
    getOrSet(slices, samePorts === null ? JSON.stringify(ports) : '', () => ({ ports, pods: [] })).pods.push(pod);
  }
  return [...slices.values()].map(({ ports, pods }, i) => {
    const name = `${service.name}-ipv${family}${i === 0 ? '' : `-${i + 1}`}`;
    return new DerivedSlice(service, name, family, ports, pods, (pod) => hintsFor(service, pod.node, zones, version));
  });
}

/** A slice whose endpoints are made when somebody asks for them: a trace needs those of a few services only. */
class DerivedSlice implements EndpointSlice {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: EndpointSlice['ports'];
  readonly derived = true;
  readonly pods: readonly Pod[];
  readonly #publishNotReady: boolean;
  readonly #hints: (pod: Pod) => Pick<Endpoint, 'hintZones' | 'hintNodes'>;
  #endpoints: readonly Endpoint[] | null = null;

  constructor(
    service: Service,
    name: string,
    family: 4 | 6,
    ports: EndpointSlice['ports'],
    pods: readonly Pod[],
    hints: (pod: Pod) => Pick<Endpoint, 'hintZones' | 'hintNodes'>,
  ) {
    this.namespace = service.namespace;
    this.name = name;
    this.service = service.name;
    this.addressType = family === 4 ? 'IPv4' : 'IPv6';
    this.ports = ports;
    this.pods = pods;
    this.#publishNotReady = service.publishNotReadyAddresses;
    this.#hints = hints;
  }

  get endpoints(): readonly Endpoint[] {
    this.#endpoints ??= this.pods.map((pod) => this.#endpointOf(pod));
    return this.#endpoints;
  }

  #endpointOf(pod: Pod): Endpoint {
    const family = this.addressType === 'IPv4' ? 4 : 6;
    return {
      addresses: pod.addresses.filter((a) => familyOf(a) === family).map(formatIp),
      ready: this.#publishNotReady || (pod.serving && !pod.terminating),
      serving: pod.serving,
      terminating: pod.terminating,
      nodeName: pod.node,
      pod: `${pod.namespace}/${pod.name}`,
      ...hostnameBelow(this.service, pod),
      ...this.#hints(pod),
    };
  }
}

/** A pod with a host name whose subdomain is the service is known by it (endpoint/util `ShouldSetHostname`). */
function hostnameBelow(service: string, { dns }: Pod): Pick<Endpoint, 'hostname'> {
  const hostname = dns?.subdomain === service ? dns.hostname : null;
  return hostname === null ? {} : { hostname };
}

/** The service's ports as this pod has them; a named target port that the pod doesn't declare is left out. */
function portsOn(service: Service, pod: Pod | null): EndpointSlice['ports'] {
  return service.ports.flatMap(({ name, protocol, targetPort }) => {
    const port =
      typeof targetPort === 'number'
        ? targetPort
        : pod?.ports.find((p) => p.name === targetPort && p.protocol === protocol)?.port;
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
  const distribution = service.trafficDistribution;
  if (distribution === null) return NO_HINTS;
  const zone = zones.get(node) ?? '';
  const since = (wanted: number): boolean => major > 1 || minor >= wanted;
  const byZone =
    (distribution === 'PreferClose' && since(31)) ||
    ((distribution === 'PreferSameZone' || distribution === 'PreferSameNode') && since(34));
  return {
    hintZones: byZone && zone !== '' ? [zone] : [],
    hintNodes: distribution === 'PreferSameNode' && since(34) ? [node] : [],
  };
}
