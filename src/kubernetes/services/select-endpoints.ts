import { isUsable } from './endpoints.ts';
import type { Cluster, KubernetesVersion, Node } from '../model/cluster.ts';
import type { ProxyEndpoint } from './endpoints.ts';
import type { ProxyServicePort } from './service-port.ts';

/** What of a node and of the proxy's version and feature gates decides which endpoints are used. */
export interface EndpointPolicy {
  readonly nodeName: string;
  /** Label topology.kubernetes.io/zone; '' when absent. */
  readonly zone: string;
  /** off: TopologyAwareHints is disabled. annotated: the service must ask for it. always: hints alone decide. */
  readonly zoneHints: 'off' | 'annotated' | 'always';
  /** Gate PreferSameTrafficDistribution. */
  readonly nodeHints: boolean;
}

/** Whether a service port leads anywhere on this node. */
export interface Reachability {
  /** There is a usable endpoint anywhere. */
  readonly hasEndpoints: boolean;
  /** The cluster IP leads somewhere. */
  readonly hasInternal: boolean;
  /** Node port, external and load balancer IPs lead somewhere for traffic from outside. */
  readonly hasExternal: boolean;
}

/** Which endpoints of a service port this node uses, and for what (pkg/proxy/topology.go CategorizeEndpoints). */
export interface EndpointSelection extends Reachability {
  /** Used by the Cluster policy, sorted; empty when nothing of the service follows it. */
  readonly cluster: readonly ProxyEndpoint[];
  /** Used by the Local policy, sorted. */
  readonly local: readonly ProxyEndpoint[];
  /** Everything that some traffic of this node can reach. */
  readonly reachable: readonly ProxyEndpoint[];
}

/** Reads gates as the version of the cluster has them (defaults: TopologyAwareHints on; ServiceTrafficDistribution from 1.31; PreferSame from 1.34). */
export function endpointPolicyOf(cluster: Cluster, node: Node): EndpointPolicy {
  const version = cluster.kubernetesVersion;
  const gate = (name: string, byDefault: boolean): boolean => cluster.kubeProxy.featureGates[name] ?? byDefault;
  const hintsAlone = gate('ServiceTrafficDistribution', atLeast(version, 31));
  return {
    nodeName: node.name,
    zone: node.labels['topology.kubernetes.io/zone'] ?? '',
    zoneHints: !gate('TopologyAwareHints', true) ? 'off' : hintsAlone ? 'always' : 'annotated',
    nodeHints: gate('PreferSameTrafficDistribution', atLeast(version, 34)),
  };
}

/** True for Kubernetes 1.`minor` and later. */
export function atLeast(version: KubernetesVersion, minor: number): boolean {
  return version.major > 1 || (version.major === 1 && version.minor >= minor);
}

/** Chooses among `endpoints` (sorted by text, as `endpointsOf` gives them) for one node. */
export function selectEndpoints(
  port: ProxyServicePort,
  endpoints: readonly ProxyEndpoint[],
  policy: EndpointPolicy,
): EndpointSelection {
  const all = withoutDuplicates(endpoints, policy.nodeName);
  const hasEndpoints = all.some(isUsable);
  const cluster = port.usesCluster ? clusterEndpoints(port, all, policy) : NONE;
  const local = port.usesLocal ? withFallback(all.filter((e) => e.nodeName === policy.nodeName)) : NONE;
  return {
    cluster,
    local,
    reachable: !port.usesLocal ? cluster : !port.usesCluster ? local : union(cluster, local),
    hasEndpoints,
    hasInternal: hasEndpoints && (!port.internalLocal || local.length > 0),
    hasExternal: hasEndpoints && (!port.externalLocal || local.length > 0),
  };
}

const NONE: readonly ProxyEndpoint[] = [];

/** Of endpoints with one text the first counts, unless a later one is local (pkg/proxy endpointslicecache addEndpoints). */
function withoutDuplicates(endpoints: readonly ProxyEndpoint[], nodeName: string): readonly ProxyEndpoint[] {
  if (!endpoints.some((endpoint, i) => i > 0 && endpoint.text === endpoints[i - 1]!.text)) return endpoints;
  const kept: ProxyEndpoint[] = [];
  for (const endpoint of endpoints) {
    if (kept.at(-1)?.text !== endpoint.text) kept.push(endpoint);
    else if (endpoint.nodeName === nodeName) kept[kept.length - 1] = endpoint;
  }
  return kept;
}

/** Ready endpoints; without one, those that end but still serve (KEP-1669). */
function withFallback(endpoints: readonly ProxyEndpoint[]): readonly ProxyEndpoint[] {
  if (endpoints.every((e) => e.ready)) return endpoints;
  const ready = endpoints.filter((e) => e.ready);
  return ready.length > 0 ? ready : endpoints.filter((e) => e.serving && e.terminating);
}

function clusterEndpoints(
  port: ProxyServicePort,
  all: readonly ProxyEndpoint[],
  policy: EndpointPolicy,
): readonly ProxyEndpoint[] {
  const hinted = hintTest(port, all, policy);
  return hinted === null ? withFallback(all) : all.filter((e) => e.ready && hinted(e));
}

/** Which endpoints hints leave to this node; null: hints don't apply. All ready endpoints must carry one, and one must name this place. */
function hintTest(
  port: ProxyServicePort,
  all: readonly ProxyEndpoint[],
  policy: EndpointPolicy,
): ((endpoint: ProxyEndpoint) => boolean) | null {
  const forNode = (e: ProxyEndpoint): boolean => e.hintNodes.includes(policy.nodeName);
  if (policy.nodeHints && applies(all, (e) => e.hintNodes.length > 0, forNode)) return forNode;
  if (policy.zone === '' || !asksForZoneHints(port, policy)) return null;
  const forZone = (e: ProxyEndpoint): boolean => e.hintZones.includes(policy.zone);
  return applies(all, (e) => e.hintZones.length > 0, forZone) ? forZone : null;
}

function applies(
  all: readonly ProxyEndpoint[],
  isHinted: (endpoint: ProxyEndpoint) => boolean,
  isForUs: (endpoint: ProxyEndpoint) => boolean,
): boolean {
  return all.every((e) => !e.ready || isHinted(e)) && all.some((e) => e.ready && isForUs(e));
}

function asksForZoneHints(port: ProxyServicePort, policy: EndpointPolicy): boolean {
  if (policy.zoneHints !== 'annotated') return policy.zoneHints === 'always';
  const annotations = port.service.annotations;
  const value =
    annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'] ?? '';
  return value !== '' && value !== 'disabled' && value !== 'Disabled';
}

/** Both lists are subsequences of one sorted list. */
function union(a: readonly ProxyEndpoint[], b: readonly ProxyEndpoint[]): readonly ProxyEndpoint[] {
  const missing = b.filter((endpoint) => !a.includes(endpoint));
  return missing.length === 0 ? a : [...a, ...missing].sort((x, y) => (x.text < y.text ? -1 : 1));
}
