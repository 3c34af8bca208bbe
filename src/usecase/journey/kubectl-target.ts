import { findNode, findPod, findService, findWorkloadPod } from '../refs/lookup.ts';
import { parseRef } from '../refs/parse.ts';
import { choosePort } from '../refs/port.ts';
import { found, refused } from '../refs/ref.ts';
import { resolveServer } from '../refs/server.ts';
import { upstreamEndpoints } from '../../kubernetes/ingress/backend.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Probe } from '../../kubernetes/model/check.ts';
import type { Cluster, Node, Pod, Service, ServicePort } from '../../kubernetes/model/cluster.ts';
import type { Ref, Result } from '../refs/ref.ts';

/** What a reference of kubectl comes down to. */
export type KubectlTarget = { readonly label: string; readonly assumptions: readonly string[] } & (
  | { readonly kind: 'node'; readonly node: Node }
  /** `port` null: nothing is asked of the pod's network (exec). */
  | { readonly kind: 'pod'; readonly pod: Pod; readonly node: Node; readonly port: number | null }
  /** The API server's proxy to a service: the ready endpoints, of which it picks one. */
  | { readonly kind: 'endpoints'; readonly service: Service; readonly endpoints: readonly ProxiedEndpoint[] }
);

export interface ProxiedEndpoint {
  readonly address: IpAddress;
  readonly port: number;
  /** "namespace/name"; null: no pod of the cluster. */
  readonly pod: string | null;
}

/** kubectl resolves services and workloads to one pod before any connection is made (polymorphichelpers.AttachablePodForObject). */
export function kubectlTarget(cluster: Cluster, probe: Probe, namespace: string): Result<KubectlTarget> {
  const parsed = parseRef(probe.to);
  if (!parsed.ok) return parsed;
  const ref = parsed.value;
  if (ref.form !== 'object' || ref.kind === 'external')
    return refused(`--via ${probe.via} needs a pod, a service or a workload: pod/NAME:PORT, svc/NAME:PORT, deploy/NAME:PORT`);
  if (probe.backend !== null && ref.kind !== 'svc')
    return refused(`backend ${probe.backend} has no effect: --via ${probe.via} to ${ref.kind}/${ref.name} picks nothing`);
  if (ref.kind === 'node') {
    const node = findNode(cluster, ref.name);
    if (!node.ok) return node;
    if (probe.via !== 'kubectl-proxy') return refused(`--via ${probe.via} reaches pods; node/${ref.name} is none`);
    return found({ kind: 'node', label: `node/${ref.name}`, node: node.value, assumptions: [] });
  }
  const own = ref.namespace ?? namespace;
  if (ref.kind !== 'svc') return targetOfPod(cluster, ref, own, probe);
  const service = findService(cluster, own, ref.name);
  if (!service.ok) return service;
  return probe.via === 'kubectl-proxy'
    ? targetOfEndpoints(cluster, service.value, ref, probe, namespace)
    : targetOfService(cluster, service.value, ref, probe, namespace);
}

type ObjectRef = Extract<Ref, { form: 'object' }>;

function targetOfPod(cluster: Cluster, ref: ObjectRef, namespace: string, probe: Probe): Result<KubectlTarget> {
  if (ref.kind === 'pod') {
    const pod = findPod(cluster, namespace, ref.name);
    return pod.ok ? withPort(cluster, pod.value, ref, probe, []) : pod;
  }
  const workload = findWorkloadPod(cluster, ref.kind, namespace, ref.name);
  if (!workload.ok) return workload;
  const { pod, of } = workload.value;
  const note = `kubectl takes one pod of ${ref.kind}/${ref.name}: ${podName(pod)}, the first of ${of}`;
  return withPort(cluster, pod, ref, probe, of > 1 ? [note] : []);
}

function withPort(
  cluster: Cluster,
  pod: Pod,
  { port }: ObjectRef,
  probe: Probe,
  assumptions: readonly string[],
): Result<KubectlTarget> {
  const label = podName(pod);
  const node = findNode(cluster, pod.node);
  if (!node.ok) return node;
  const to = { kind: 'pod', pod, node: node.value, assumptions } as const;
  if (probe.via === 'exec') return found({ ...to, port: null, label });
  const declared = pod.ports.length > 0 ? pod.ports : pod.assumedPorts.map((p) => ({ ...p, name: '' }));
  const chosen = choosePort(label, declared, port, 'tcp');
  return chosen.ok ? found({ ...to, port: chosen.value.port, label: `${label}:${chosen.value.port}` }) : chosen;
}

/** port-forward and exec go by the selector, whatever the endpoints are. */
function targetOfService(
  cluster: Cluster,
  service: Service,
  ref: ObjectRef,
  probe: Probe,
  namespace: string,
): Result<KubectlTarget> {
  const label = `svc/${service.namespace}/${service.name}`;
  const pods = backendsOf(cluster, service);
  const pinned = pinOf(cluster, probe, namespace);
  if (!pinned.ok) return pinned;
  const pod = pinned.value === null ? pods[0] : pods.find((each) => podName(each) === pinned.value);
  if (pod === undefined)
    return refused(
      pinned.value === null
        ? `${label} selects no running pod: kubectl has nothing to connect to`
        : `backend ${pinned.value} is none of the pods that ${label} selects`,
    );
  const note = `kubectl takes one pod of ${label}: ${podName(pod)}, the first of ${pods.length}; the service is not asked again`;
  const assumptions = pods.length > 1 && pinned.value === null ? [note] : [];
  const node = findNode(cluster, pod.node);
  if (!node.ok) return node;
  const to = { kind: 'pod', pod, node: node.value, assumptions } as const;
  if (probe.via === 'exec') return found({ ...to, port: null, label });
  const servicePort = portOfService(service, ref);
  if (!servicePort.ok) return servicePort;
  const port = containerPortOf(servicePort.value, pod);
  if (port === null) return refused(`${label} has no port ${servicePort.value.port} that leads to ${podName(pod)}`);
  return found({ ...to, port, label: `${label}:${servicePort.value.port}` });
}

/** The API server's own proxy takes a ready endpoint of the service (registry/core/service ResourceLocation). */
function targetOfEndpoints(
  cluster: Cluster,
  service: Service,
  ref: ObjectRef,
  probe: Probe,
  namespace: string,
): Result<KubectlTarget> {
  const port = portOfService(service, ref);
  if (!port.ok) return port;
  const label = `svc/${service.namespace}/${service.name}:${port.value.port}`;
  const all = upstreamEndpoints(cluster, service, port.value);
  const pinned = pinOf(cluster, probe, namespace);
  if (!pinned.ok) return pinned;
  const endpoints = pinned.value === null ? all : all.filter(({ pod }) => `pod/${pod}` === pinned.value);
  if (pinned.value !== null && endpoints.length === 0)
    return refused(`backend ${pinned.value} is none of the ready endpoints of ${label}`);
  return found({ kind: 'endpoints', label, service, endpoints, assumptions: [] });
}

function portOfService(service: Service, ref: ObjectRef): Result<ServicePort> {
  const label = `svc/${service.namespace}/${service.name}`;
  const chosen = choosePort(label, service.ports, ref.port, 'tcp');
  if (!chosen.ok) return chosen;
  const port = service.ports.find((each) => each.port === chosen.value.port && each.protocol === 'tcp');
  return port ? found(port) : refused(`${label} has no port ${chosen.value.port}/tcp`);
}

/** "pod/default/web-1" */
function pinOf(cluster: Cluster, { backend }: Probe, namespace: string): Result<string | null> {
  if (backend === null) return found(null);
  const server = resolveServer(cluster, backend, namespace);
  return server.ok ? found(server.value.name) : refused(`backend: ${server.message}`);
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

/** As references and outcomes name it. */
export function podName({ namespace, name }: Pick<Pod, 'namespace' | 'name'>): string {
  return `pod/${namespace}/${name}`;
}
