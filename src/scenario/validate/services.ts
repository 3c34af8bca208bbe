import type { Cluster, EndpointSlice, Pod, Service } from '../../kubernetes/model/cluster.ts';
import type { Drafts, ServiceDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { podFinder } from '../resolve/pods.ts';

/** What the API server would refuse of a service, and what makes one useless. */
export function validateServices(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  for (const draft of drafts.services) validatePorts(draft, problems);
  validateNodePorts(cluster, problems);
  const slices = new Map<string, EndpointSlice[]>();
  for (const slice of cluster.endpointSlices) {
    const name = `${slice.namespace}/${slice.service}`;
    const list = slices.get(name);
    if (list === undefined) slices.set(name, [slice]);
    else list.push(slice);
  }
  const find = podFinder(cluster.pods);
  for (const service of cluster.services) {
    if (service.type === 'ExternalName') continue;
    validateEndpoints(service, slices.get(`${service.namespace}/${service.name}`) ?? [], find, problems);
  }
}

function validatePorts(draft: ServiceDraft, problems: Problems): void {
  const name = `${draft.namespace}/${draft.name}`;
  const ports = draft.ports ?? [];
  if (ports.length === 0 && draft.headless !== true && draft.type !== 'ExternalName' && draft.complete !== true) {
    problems.error('missing-key', `Service ${name} needs "ports"`, draft.position);
  }
  if (draft.type === 'ExternalName' && draft.externalName === undefined) {
    problems.error('missing-key', `Service ${name} of type ExternalName needs "externalName"`, draft.position);
  }
  if (draft.complete === true) return;
  const hasNodePorts = draft.type === 'NodePort' || draft.type === 'LoadBalancer';
  const seen = new Set<string>();
  const names = new Set<string>();
  for (const port of ports) {
    const key = `${port.port}/${port.protocol}`;
    if (seen.has(key)) problems.error('duplicate-name', `Service ${name} has port ${key} twice`, port.position ?? draft.position);
    else if (names.has(port.name)) {
      const message =
        port.name === ''
          ? `Service ${name} has several ports: each needs a name`
          : `Service ${name} has two ports named "${port.name}"`;
      problems.error('duplicate-name', message, port.position ?? draft.position);
    }
    if (!hasNodePorts && (port.nodePort ?? 0) !== 0) {
      const message = `Service ${name} has a node port, but its type is ${draft.type ?? 'ClusterIP'}`;
      problems.error('wrong-value', message, port.position ?? draft.position, 'Give type: NodePort');
    }
    seen.add(key);
    names.add(port.name);
  }
}

function validateNodePorts(cluster: Cluster, problems: Problems): void {
  const holders = new Map<string, Service>();
  for (const service of cluster.services) {
    for (const { nodePort, protocol } of service.ports) {
      if (nodePort === 0) continue;
      if (nodePort < 30000 || nodePort > 32767) {
        const message = `Node port ${nodePort} of service ${service.namespace}/${service.name} is outside 30000-32767, the API server's range unless --service-node-port-range says otherwise`;
        problems.warning('outside-range', message, service.position);
      }
      const key = `${nodePort}/${protocol}`;
      const other = holders.get(key);
      if (other !== undefined) {
        const message = `Services ${other.namespace}/${other.name} and ${service.namespace}/${service.name} both have node port ${key}`;
        problems.warning('duplicate-node-port', message, service.position);
      }
      holders.set(key, service);
    }
  }
}

type FindPod = (endpoint: EndpointSlice['endpoints'][number]) => Pod | undefined;

function validateEndpoints(service: Service, slices: readonly EndpointSlice[], find: FindPod, problems: Problems): void {
  const name = `${service.namespace}/${service.name}`;
  if (slices.every((slice) => (slice.pods ?? slice.endpoints).length === 0)) {
    if (service.selector !== null && slices.length === 0) {
      const selector = Object.entries(service.selector)
        .map(([k, v]) => `${k}=${v}`)
        .join(',');
      problems.warning(
        'selector-matches-nothing',
        `The selector ${selector} of service ${name} matches no pod`,
        service.position,
      );
    } else if (!service.headless) {
      problems.warning('no-endpoints', `Service ${name} has no endpoints`, service.position);
    }
    return;
  }
  if (!slices.some((slice) => hasUsableEndpoint(slice, service))) {
    problems.warning('no-endpoints', `Service ${name} has no ready endpoint`, service.position);
  }
  for (const port of service.ports) {
    const matching = slices.filter((slice) =>
      slice.ports.some((p) => p.name === port.name && p.protocol === port.protocol && p.port !== null),
    );
    if (matching.length > 0) {
      validateTargets(service, port, matching, find, problems);
      continue;
    }
    const why = typeof port.targetPort === 'string' ? `: no pod declares a port named "${port.targetPort}"` : '';
    const label = port.name === '' ? `${port.port}` : `${port.name} (${port.port})`;
    problems.warning('no-endpoints', `Port ${label} of service ${name} has no endpoints${why}`, service.position);
  }
}

/** Ready, or still serving while it ends, which kube-proxy uses where nothing is ready. */
function hasUsableEndpoint(slice: EndpointSlice, service: Service): boolean {
  return slice.pods === undefined
    ? slice.endpoints.some((e) => e.ready || (e.serving && e.terminating))
    : slice.pods.some((pod) => service.publishNotReadyAddresses || pod.serving);
}

/** Warns where every endpoint's pod is known and none of them listens on the target port. */
function validateTargets(
  service: Service,
  port: Service['ports'][number],
  slices: readonly EndpointSlice[],
  find: FindPod,
  problems: Problems,
): void {
  const declared = new Set<string>();
  let target = 0;
  for (const slice of slices) {
    target = slice.ports.find((p) => p.name === port.name && p.protocol === port.protocol)?.port ?? target;
    for (const one of slice.pods ?? slice.endpoints) {
      const pod = 'addresses' in one && 'nodeName' in one ? find(one) : one;
      if (pod === undefined || listensOn(pod, port.protocol, target)) return;
      for (const p of pod.ports) if (p.listens) declared.add(`${p.port}/${p.protocol}`);
    }
  }
  const name = `${service.namespace}/${service.name}`;
  const hint = declared.size === 0 ? undefined : `They listen on ${[...declared].join(', ')}`;
  const message = `Service ${name} points at ${target}/${port.protocol}, where none of its pods listens`;
  problems.warning('nobody-listens', message, service.position, hint);
}

/** A pod that declares nothing is taken to listen where services point. */
function listensOn(pod: Pod, protocol: string, port: number): boolean {
  return pod.ports.length === 0 || pod.ports.some((p) => p.listens && p.protocol === protocol && p.port === port);
}
