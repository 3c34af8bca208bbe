import { formatIp, ipv4, ipv6, isIpv4, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { ConnectionRequest, ConnectionResult } from '../../kernel/walk/connection.ts';
import { API_SERVICE, apiServerPod } from '../../kubernetes/model/api-server.ts';
import type { Probe } from '../../kubernetes/model/check.ts';
import type { Cluster, Node, Pod, Service, ServicePort } from '../../kubernetes/model/cluster.ts';
import type { Plan } from '../plan.ts';
import { found, refused } from '../refs/ref.ts';
import type { Ref, Result } from '../refs/ref.ts';
import { findNode, findPod, findService, findWorkloadPod, formatEndpoint, holderOf } from '../refs/lookup.ts';
import { parseRef } from '../refs/parse.ts';
import { choosePort } from '../refs/port.ts';
import { podHost, resolveSource } from '../refs/source.ts';
import type { Source } from '../refs/source.ts';
import type { Destination } from '../refs/target.ts';
import { connectTo, end } from './step.ts';
import type { Ending, Start, Step } from './step.ts';

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
  const source = resolveSource(cluster, probe.from, options.namespace);
  if (!source.ok) return source;
  const server = apiServerOf(cluster);
  if (!server.ok) return server;
  const target = targetOf(cluster, probe, options.namespace);
  if (!target.ok) return target;
  const toServer = clientSide(cluster, source.value, server.value);
  const asked: Plan = planOf(source.value, toServer, { ...options, sourcePort: probe.sourcePort ?? options.sourcePort });
  const further = furtherSteps(probe.via, server.value, target.value, options);
  if (!further.ok) return further;
  const { steps, ending } = further.value;
  const first = chain([{ ...asked, purpose: 'asked', text: null }, ...steps], ending);
  return found({
    start: () => connectTo(first),
    source: source.value,
    label: target.value.label,
    assumptions: [...new Set([...source.value.assumptions, ...target.value.assumptions])],
    asked,
  });
}

type Unlinked = Omit<Step, 'next'>;

/** Each connection is made once the one before stands. What fails on the way is what kubectl reports. */
function chain([step, ...rest]: readonly Unlinked[], ending: Partial<Ending>): Step {
  const next = rest.length === 0 ? null : chain(rest, ending);
  return {
    ...step!,
    next: (result) => {
      const stands = result.verdict === 'connected' || (step!.request.noReply && result.server !== null);
      if (!stands) return end({ ...ending, server: null, ...failure(step!, result) });
      return next === null ? end({ answered: 'last', ...ending }) : connectTo(next);
    },
  };
}

/** Inside the pod a refused connection ends the stream that kubectl holds: its own client sees it closed. */
function failure(step: Unlinked, result: ConnectionResult): Partial<Ending> {
  if (step.purpose === 'asked') return {};
  const inside = step.source.host === step.request.host && step.destination.label.startsWith('localhost');
  return { answered: 'last', verdict: inside && result.verdict === 'refused' ? 'reset' : result.verdict };
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

/** What a reference of kubectl comes down to. */
interface Target {
  readonly label: string;
  /** null: a node's kubelet itself. */
  readonly pod: Pod | null;
  readonly node: Node;
  /** null: nothing is asked of the pod's network (exec). */
  readonly port: number | null;
  readonly assumptions: readonly string[];
}

/** kubectl resolves services and workloads to one pod before any connection is made (polymorphichelpers.AttachablePodForObject). */
function targetOf(cluster: Cluster, probe: Probe, namespace: string): Result<Target> {
  const parsed = parseRef(probe.to);
  if (!parsed.ok) return parsed;
  const ref = parsed.value;
  if (ref.form !== 'object' || ref.kind === 'external')
    return refused(`--via ${probe.via} needs a pod, a service or a workload: pod/NAME:PORT, svc/NAME:PORT, deploy/NAME:PORT`);
  if (ref.kind === 'node') {
    const node = findNode(cluster, ref.name);
    if (!node.ok) return node;
    if (probe.via !== 'kubectl-proxy') return refused(`--via ${probe.via} reaches pods; node/${ref.name} is none`);
    return found({ label: `node/${ref.name}`, pod: null, node: node.value, port: KUBELET_PORT, assumptions: [] });
  }
  const picked = podOf(cluster, ref, ref.namespace ?? namespace, probe);
  if (!picked.ok) return picked;
  const { pod, port, assumptions, label } = picked.value;
  const node = findNode(cluster, pod.node);
  return node.ok ? found({ label, pod, node: node.value, port, assumptions }) : node;
}

type ObjectRef = Extract<Ref, { form: 'object' }>;
type Picked = {
  readonly pod: Pod;
  readonly port: number | null;
  readonly assumptions: readonly string[];
  readonly label: string;
};

function podOf(cluster: Cluster, ref: ObjectRef, namespace: string, probe: Probe): Result<Picked> {
  const { kind, name } = ref;
  if (kind === 'svc') return podOfService(cluster, namespace, ref, probe);
  if (kind === 'pod') {
    const pod = findPod(cluster, namespace, name);
    return pod.ok ? portOfPod(pod.value, ref, probe, []) : pod;
  }
  const workload = findWorkloadPod(cluster, kind, namespace, name);
  if (!workload.ok) return workload;
  const { pod, of } = workload.value;
  const note = `kubectl takes one pod of ${kind}/${name}: ${nameOf(pod)}, the first of ${of}`;
  return portOfPod(pod, ref, probe, of > 1 ? [note] : []);
}

function portOfPod(pod: Pod, { port }: ObjectRef, probe: Probe, assumptions: readonly string[]): Result<Picked> {
  const label = nameOf(pod);
  if (probe.via === 'exec') return found({ pod, port: null, assumptions, label });
  const declared = pod.ports.length > 0 ? pod.ports : pod.assumedPorts.map((p) => ({ ...p, name: '' }));
  const chosen = choosePort(label, declared, port, 'tcp');
  if (!chosen.ok) return chosen;
  return found({ pod, port: chosen.value.port, assumptions, label: `${label}:${chosen.value.port}` });
}

function podOfService(cluster: Cluster, namespace: string, ref: ObjectRef, probe: Probe): Result<Picked> {
  const service = findService(cluster, namespace, ref.name);
  if (!service.ok) return service;
  const label = `svc/${namespace}/${ref.name}`;
  const pods = backendsOf(cluster, service.value);
  const pod = pods[0];
  if (pod === undefined) return refused(`${label} selects no running pod: kubectl has nothing to connect to`);
  const note = `kubectl takes one pod of ${label}: ${nameOf(pod)}, the first of ${pods.length}; the service is not asked again`;
  const assumptions = pods.length > 1 ? [note] : [];
  if (probe.via === 'exec') return found({ pod, port: null, assumptions, label });
  const chosen = choosePort(label, service.value.ports, ref.port, 'tcp');
  if (!chosen.ok) return chosen;
  const servicePort = service.value.ports.find(({ port, protocol }) => port === chosen.value.port && protocol === 'tcp');
  const port = servicePort ? containerPortOf(servicePort, pod) : null;
  if (port === null) return refused(`${label} has no port ${chosen.value.port} that leads to ${nameOf(pod)}`);
  return found({ pod, port, assumptions, label: `${label}:${chosen.value.port}` });
}

/** Pods that the service's selector takes: ready ones first. */
function backendsOf(cluster: Cluster, { namespace, selector }: Service): Pod[] {
  if (selector === null) return [];
  const wanted = Object.entries(selector);
  const pods = cluster.pods.filter(
    (pod) => pod.namespace === namespace && wanted.every(([key, value]) => pod.labels[key] === value),
  );
  return [...pods.filter(({ ready }) => ready), ...pods.filter(({ ready }) => !ready)];
}

function containerPortOf({ port, targetPort }: ServicePort, pod: Pod): number | null {
  if (typeof targetPort === 'number') return targetPort;
  if (targetPort === null) return port;
  return pod.ports.find(({ name, protocol }) => name === targetPort && protocol === 'tcp')?.port ?? null;
}

interface Further {
  readonly steps: readonly Unlinked[];
  /** How it ends if all of them stand. */
  readonly ending: Partial<Ending>;
}

function furtherSteps(via: Probe['via'], server: ApiServer, target: Target, options: KubectlOptions): Result<Further> {
  const { pod, node, port } = target;
  const planned = (source: Source, to: Destination, purpose: Step['purpose'], text: string, index: number): Unlinked => ({
    ...planOf(source, to, { ...options, sourcePort: NEXT_PORT + index }),
    purpose,
    text,
  });
  const nodeAddress = pickLike(node.addresses, server.address);
  if (nodeAddress === undefined) return refused(`node/${node.name} has no address`);
  const kubelet = destination(`kubelet of node/${node.name}`, nodeAddress, KUBELET_PORT, null);
  if (pod === null)
    return found({
      steps: [planned(server.source, kubelet, 'proxy', 'the API server asks the kubelet', 0)],
      ending: { notes: [ON_THE_WAY.node] },
    });
  if (via === 'kubectl-proxy') {
    const address = pickLike(pod.addresses, server.address);
    if (address === undefined || port === null) return refused(`${nameOf(pod)} has no address`);
    const to = destination(`${nameOf(pod)}:${port}`, address, port, pod);
    const text = `the API server connects to the endpoint itself, ${formatEndpoint(address, port)}`;
    return found({ steps: [planned(server.source, to, 'proxy', text, 0)], ending: { notes: [ON_THE_WAY.proxy] } });
  }
  const tunnel = planned(
    server.source,
    kubelet,
    'tunnel',
    `the API server asks the kubelet of ${node.name}, where ${nameOf(pod)} is`,
    0,
  );
  if (via === 'exec' || port === null)
    return found({ steps: [tunnel], ending: { notes: [ON_THE_WAY.exec], server: nameOf(pod) } });
  const own = podSource(pod);
  const loopback = isIpv4(pod.addresses[0] ?? server.address) ? ipv4(0x7f000001) : ipv6(1n);
  const inside = destination(`localhost:${port}`, loopback, port, pod);
  const text = `the kubelet's runtime connects inside the pod's network namespace, to ${formatIp(loopback)}:${port}`;
  return found({
    steps: [tunnel, planned({ ...own, label: `runtime in ${nameOf(pod)}` }, inside, 'tunnel', text, 1)],
    ending: { notes: [ON_THE_WAY.forward] },
  });
}

const ON_THE_WAY = {
  proxy:
    "kubectl proxy: the API server picks an endpoint and connects to it; no cluster IP, none of kube-proxy's rules is on that way, and a policy sees the API server",
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
  const label = nameOf(pod);
  return { label, host: podHost(pod), owner: label, addresses: pod.addresses, bind: null, pod, assumptions: [] };
}

function hostSource(label: string, addresses: readonly IpAddress[]): Source {
  return { label, host: label, owner: label, addresses, bind: null, pod: null, assumptions: [] };
}

function nameOf({ namespace, name }: Pod): string {
  return `pod/${namespace}/${name}`;
}

/** The first address of the same family. */
function pickLike(addresses: readonly IpAddress[], other: IpAddress): IpAddress | undefined {
  return addresses.find((address) => isIpv4(address) === isIpv4(other)) ?? addresses[0];
}
