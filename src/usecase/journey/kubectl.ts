import { ipv4, ipv6, isIpv4, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Choices } from '../../kernel/walk/choices.ts';
import type { ConnectionRequest, ConnectionResult } from '../../kernel/walk/connection.ts';
import { API_SERVICE, apiServerPod } from '../../kubernetes/model/api-server.ts';
import type { Probe } from '../../kubernetes/model/check.ts';
import type { Cluster, Node, Pod } from '../../kubernetes/model/cluster.ts';
import { whyEmpty } from '../cause/service-refuses.ts';
import type { Plan } from '../plan.ts';
import { formatEndpoint, holderOf } from '../refs/lookup.ts';
import { found, refused } from '../refs/ref.ts';
import type { Result } from '../refs/ref.ts';
import { podHost, resolveSource } from '../refs/source.ts';
import type { Source } from '../refs/source.ts';
import type { Destination } from '../refs/target.ts';
import { indexOf } from './index-of.ts';
import { kubectlTarget, podName } from './kubectl-target.ts';
import type { KubectlTarget } from './kubectl-target.ts';
import { arrived, connectTo, end } from './step.ts';
import type { Ending, Move, Start, Step } from './step.ts';

/** Where every kubelet listens for the API server (KubeletConfiguration, port). */
export const KUBELET_PORT = 10250;

/** A connection through the API server, planned. */
export interface KubectlPlan {
  readonly start: Start;
  readonly source: Source;
  readonly label: string;
  readonly assumptions: readonly string[];
  readonly asked: Plan;
}

export interface KubectlOptions {
  readonly namespace: string;
  readonly noReply: boolean;
  readonly sourcePort: number;
}

/** Ports of the further connections; a real kernel draws them at random. */
const NEXT_PORT = 45000;

/**
 * What kubectl does: it talks to the API server only. The API server connects to the kubelet of the pod's node (exec, port-forward), which
 * goes into the pod's namespace, or to the endpoint itself (proxy). No service and none of kube-proxy's rules is on the way to the pod.
 */
export function planKubectl(cluster: Cluster, probe: Probe, options: KubectlOptions): Result<KubectlPlan> {
  if (probe.protocol !== null && probe.protocol !== 'tcp') return refused(`--via ${probe.via} speaks TCP, not ${probe.protocol}`);
  const idle = (['payload', 'dontFragment', 'ttl'] as const).find((key) => probe[key] !== null);
  if (idle !== undefined)
    return refused(`${idle} has no place beside via ${probe.via}: kubectl makes its connections as it likes`);
  const source = resolveSource(cluster, probe.from, options.namespace);
  if (!source.ok) return source;
  const server = apiServerOf(cluster);
  if (!server.ok) return server;
  const target = kubectlTarget(cluster, probe, options.namespace);
  if (!target.ok) return target;
  const bind = probe.sourceAddress === null ? source.value.bind : parseIp(probe.sourceAddress);
  if (probe.sourceAddress !== null && bind === null)
    return refused(`source address "${probe.sourceAddress}" is not an IP address`);
  const from = { ...source.value, bind };
  const toServer = clientSide(cluster, from, server.value);
  const asked: Plan = planOf(from, toServer, { ...options, sourcePort: probe.sourcePort ?? options.sourcePort });
  const then = behindServer(cluster, probe.via, server.value, target.value, options);
  const first = linked({ ...asked, purpose: 'asked', text: null }, then);
  return found({
    start: () => connectTo(first),
    source: source.value,
    label: target.value.label,
    assumptions: [...new Set([...source.value.assumptions, ...target.value.assumptions])],
    asked,
  });
}

type Unlinked = Omit<Step, 'next'>;

/** A connection, and what is done once it stands. What fails on the way is what kubectl reports. */
function linked(step: Unlinked, then: Start): Step {
  return {
    ...step,
    next: (result, choices, state) => (arrived(step, result) ? then(choices, state) : end(failure(step, result))),
  };
}

/** Inside the pod a refused connection ends the stream that kubectl holds: its own client sees it closed. */
function failure({ purpose, destination: { pod } }: Unlinked, { verdict }: ConnectionResult): Partial<Ending> {
  if (purpose === 'asked') return {};
  // "error trying to reach service" (apimachinery pkg/util/proxy Transport.RoundTrip).
  if (purpose === 'proxy') return { status: 503 };
  const inside = purpose === 'tunnel' && pod !== null;
  return { answered: 'last', verdict: inside && verdict === 'refused' ? 'reset' : verdict };
}

interface ApiServer {
  readonly address: IpAddress;
  readonly port: number;
  /** The process, as a client of kubelets and pods. */
  readonly source: Source;
}

/** The first endpoint of the `kubernetes` service. */
function apiServerOf(cluster: Cluster): Result<ApiServer> {
  const slice = cluster.endpointSlices.find(({ namespace, service }) => `${namespace}/${service}` === API_SERVICE);
  const address = parseIp(slice?.endpoints[0]?.addresses[0] ?? '');
  const port = slice?.ports[0]?.port ?? null;
  if (address === null || port === null)
    return refused(`kubectl needs an API server: no endpoint of service ${API_SERVICE} is known`);
  const holder = holderOf(cluster, address);
  if (holder === null) return refused(`the API server ${formatEndpoint(address, port)} is at an address that nobody has`);
  if (holder.kind === 'pod') return found({ address, port, source: podSource(holder.pod) });
  if (holder.kind === 'external') {
    const label = `external/${holder.external.name}`;
    return found({ address, port, source: hostSource(label, holder.external.addresses) });
  }
  const { node } = holder;
  const pod = apiServerPod(cluster.pods.filter((p) => p.hostNetwork && p.node === node.name));
  return found({ address, port, source: pod ? podSource(pod) : hostSource(`node/${node.name}`, node.addresses) });
}

/** Inside the cluster the `kubernetes` service is asked (in-cluster configuration), elsewhere the API server's own address. */
function clientSide(cluster: Cluster, source: Source, server: ApiServer): Destination {
  const service = cluster.services.find(({ namespace, name }) => `${namespace}/${name}` === API_SERVICE);
  const clusterIp = service?.clusterIps[0];
  const port = service?.ports[0]?.port;
  if (source.pod !== null && clusterIp !== undefined && port !== undefined)
    return destination(`svc/${API_SERVICE}:${port}`, clusterIp, port, null);
  return destination(`API server ${formatEndpoint(server.address, server.port)}`, server.address, server.port, null);
}

/** What the API server does once it is asked. */
function behindServer(
  cluster: Cluster,
  via: Probe['via'],
  server: ApiServer,
  target: KubectlTarget,
  options: KubectlOptions,
): Start {
  switch (target.kind) {
    case 'node':
      return () => connectTo(linked(toKubelet(server, target.node, 'proxy', options), () => ended(ON_THE_WAY.node)));
    case 'endpoints':
      return (choices) => toEndpoint(cluster, server, target, options, choices);
    case 'pod':
      return via === 'kubectl-proxy' ? toPod(server, target, options) : throughKubelet(server, target, options);
  }
}

function ended(note: string, more: Partial<Ending> = {}): Move {
  return end({ answered: 'last', notes: [note], ...more });
}

function toKubelet(server: ApiServer, node: Node, purpose: 'proxy' | 'tunnel', options: KubectlOptions, pod?: Pod): Unlinked {
  const address = pickLike(node.addresses, server.address) ?? server.address;
  const to = destination(`kubelet of node/${node.name}`, address, KUBELET_PORT, null);
  const text =
    pod === undefined
      ? 'the API server asks the kubelet'
      : `the API server asks the kubelet of ${node.name}, where ${podName(pod)} is`;
  return { ...planOf(server.source, to, { ...options, sourcePort: NEXT_PORT }), purpose, text };
}

type PodTarget = Extract<KubectlTarget, { kind: 'pod' }>;
type EndpointsTarget = Extract<KubectlTarget, { kind: 'endpoints' }>;

function toPod(server: ApiServer, { pod, port }: PodTarget, options: KubectlOptions): Start {
  const address = pickLike(pod.addresses, server.address);
  if (address === undefined || port === null) return () => end({ status: 503 });
  return () => connectTo(proxyStep(server, destination(`${podName(pod)}:${port}`, address, port, pod), options));
}

/** Without a ready endpoint the API server answers itself: "no endpoints available for service". */
function toEndpoint(
  cluster: Cluster,
  server: ApiServer,
  { service, endpoints, label }: EndpointsTarget,
  options: KubectlOptions,
  choices: Choices,
): Move {
  if (endpoints.length === 0) {
    const why = whyEmpty(cluster, service);
    const text = `Service ${service.namespace}/${service.name} has no ready endpoint, so the API server answers 503: ${why.text}`;
    return end({ status: 503, cause: { code: 'no-endpoints', text, remedy: why.remedy }, notes: [ON_THE_WAY.proxy] });
  }
  const weights = endpoints.map(() => 1 / endpoints.length);
  const { address, port, pod: key } = endpoints[endpoints.length === 1 ? 0 : choices.pick(`endpoint of ${label}`, weights)]!;
  const pod = key === null ? null : (indexOf(cluster).pod(key) ?? null);
  const to = destination(pod ? `${podName(pod)}:${port}` : formatEndpoint(address, port), address, port, pod);
  return connectTo(proxyStep(server, to, options));
}

function proxyStep(server: ApiServer, to: Destination, options: KubectlOptions): Step {
  const text = `the API server connects to the endpoint itself, ${formatEndpoint(to.address, to.port)}`;
  const plan = planOf(server.source, to, { ...options, sourcePort: NEXT_PORT });
  return linked({ ...plan, purpose: 'proxy', text }, () => ended(ON_THE_WAY.proxy));
}

function throughKubelet(server: ApiServer, { pod, node, port }: PodTarget, options: KubectlOptions): Start {
  const tunnel = toKubelet(server, node, 'tunnel', options, pod);
  if (port === null) return () => connectTo(linked(tunnel, () => ended(ON_THE_WAY.exec, { server: podName(pod) })));
  const loopback = isIpv4(pod.addresses[0] ?? server.address) ? ipv4(0x7f000001) : ipv6(1n);
  const from = { ...podSource(pod), label: `runtime in ${podName(pod)}` };
  const inside: Unlinked = {
    ...planOf(from, destination(`localhost:${port}`, loopback, port, pod), { ...options, sourcePort: NEXT_PORT + 1 }),
    purpose: 'tunnel',
    text: `the kubelet's runtime connects inside the pod's network namespace, to ${formatEndpoint(loopback, port)}`,
  };
  return () => connectTo(linked(tunnel, () => connectTo(linked(inside, () => ended(ON_THE_WAY.forward)))));
}

const ON_THE_WAY = {
  proxy:
    "kubectl proxy: the API server picks an endpoint and connects to it; no cluster IP, none of kube-proxy's rules is on the way to the pod, and a policy sees the API server",
  exec: "kubectl exec: the kubelet starts a process in the pod's namespaces; no packet goes to the pod: no service, no iptables rule, no policy is asked",
  forward:
    "kubectl port-forward: a stream through API server and kubelet ends on localhost in the pod; no service, none of kube-proxy's rules, no policy is on the way",
  node: 'kubectl proxy: the API server asks the kubelet; no service is on the way',
} as const;

function planOf(source: Source, to: Destination, options: KubectlOptions): Plan {
  const request: ConnectionRequest = {
    host: source.host,
    owner: source.owner,
    protocol: 'tcp',
    destination: to.address,
    port: to.port,
    sourcePort: options.sourcePort,
    sourceAddress: source.bind,
    payload: null,
    dontFragment: null,
    ttl: null,
    noReply: options.noReply,
  };
  return { request, pin: null, source, destination: to };
}

function destination(label: string, address: IpAddress, port: number, pod: Pod | null): Destination {
  return { label, address, port, protocol: 'tcp', pod, assumptions: [] };
}

function podSource(pod: Pod): Source {
  const label = podName(pod);
  return { label, host: podHost(pod), owner: label, addresses: pod.addresses, bind: null, pod, assumptions: [] };
}

function hostSource(label: string, addresses: readonly IpAddress[]): Source {
  return { label, host: label, owner: label, addresses, bind: null, pod: null, assumptions: [] };
}

/** The first address of the same family. */
function pickLike(addresses: readonly IpAddress[], other: IpAddress): IpAddress | undefined {
  return addresses.find((address) => isIpv4(address) === isIpv4(other)) ?? addresses[0];
}
