import { familyOf, formatIp } from '../../net/ip.ts';
import { endpointTexts } from './used-endpoints.ts';
import { labelFit } from './labels.ts';
import { fullName, listed } from './words.ts';
import type { Cluster, EndpointSlice, Pod, Service, ServicePort } from '../../kubernetes/model/cluster.ts';
import type { RegistrationPod, RegistrationReason } from '../../trace/explanation.ts';

/** What a service makes of pods. */
export interface PodChoice {
  /** Pods that the selector takes, in the order of the file; then those that it nearly takes, the nearest first. */
  readonly pods: readonly RegistrationPod[];
  /** Pods of the namespace that have nothing of the selector. */
  readonly others: number;
}

/** Pods of other namespaces are told of only so far: what is wrong shows at the first. */
const MOST_ELSEWHERE = 3;

/**
 * Goes through the pods as the endpoint slice controller does, and says of each why it is taken or not.
 * @param slices those of the service
 * @param used "ip:port" of every endpoint that some node sends packets to
 */
export function chooseAmongPods(
  cluster: Cluster,
  service: Service,
  slices: readonly EndpointSlice[],
  used: ReadonlySet<string>,
): PodChoice {
  const { selector } = service;
  if (selector === null) return { pods: podsOfSlices(cluster, service, slices, used), others: 0 };
  const taken: RegistrationPod[] = [];
  const near: { readonly score: number; readonly pod: RegistrationPod }[] = [];
  const elsewhere: RegistrationPod[] = [];
  let others = 0;
  for (const pod of cluster.pods) {
    const fit = labelFit(pod.labels, selector);
    if (pod.namespace !== service.namespace) {
      if (!fit.takes || elsewhere.length >= MOST_ELSEWHERE) continue;
      const text = `of namespace ${pod.namespace}: a selector takes pods of its own, ${service.namespace}, only`;
      elsewhere.push(leftOut(pod, [{ code: 'other-namespace', text }]));
    } else if (fit.takes) {
      taken.push(selectedPod(pod, service, slices, used));
    } else if (fit.score > 0) {
      near.push({ score: fit.score, pod: leftOut(pod, [{ code: 'labels', text: listed(fit.missing) }]) });
    } else {
      others++;
    }
  }
  const nearest = near.toSorted((a, b) => b.score - a.score).map(({ pod }) => pod);
  return { pods: [...taken, ...nearest, ...elsewhere], others };
}

/** How one pod stands to one service with a selector, for `explain pod/NAME`. */
export function selectedPod(
  pod: Pod,
  service: Service,
  slices: readonly EndpointSlice[],
  used: ReadonlySet<string>,
): RegistrationPod {
  const endpoints = endpointsOfPod(pod, slices);
  const isUsed = endpoints.some((endpoint) => used.has(endpoint));
  const isListed = slices.some((slice) => slice.endpoints.some((endpoint) => isEndpointOf(endpoint, pod)));
  return {
    ...bare(pod),
    endpoints,
    state: isUsed ? 'used' : isListed ? 'unused' : 'left-out',
    reasons: reasonsOf(pod, service, slices, isListed),
  };
}

/** A pod that a selector does not take. */
export function leftOut(pod: Pod, reasons: readonly RegistrationReason[]): RegistrationPod {
  return { ...bare(pod), endpoints: [], state: 'left-out', reasons };
}

function bare(pod: Pod): Pick<RegistrationPod, 'name' | 'node' | 'addresses'> {
  return { name: fullName(pod), node: pod.node, addresses: pod.addresses.map(formatIp) };
}

/** Without a selector nobody looks for pods; those behind the addresses of given slices are told. */
function podsOfSlices(
  { pods }: Cluster,
  service: Service,
  slices: readonly EndpointSlice[],
  used: ReadonlySet<string>,
): readonly RegistrationPod[] {
  const named = new Set(slices.flatMap(({ endpoints }) => endpoints.flatMap(({ pod }) => pod ?? [])));
  const addresses = new Set(slices.flatMap(({ endpoints }) => endpoints.flatMap((endpoint) => endpoint.addresses)));
  return pods
    .filter((pod) => named.has(fullName(pod)) || (!pod.hostNetwork && pod.addresses.some((a) => addresses.has(formatIp(a)))))
    .map((pod) => selectedPod(pod, service, slices, used));
}

type SliceEndpoint = EndpointSlice['endpoints'][number];

function isEndpointOf({ pod: name, addresses }: SliceEndpoint, pod: Pod): boolean {
  if (name !== null) return name === fullName(pod);
  return pod.addresses.some((address) => addresses.includes(formatIp(address)));
}

function endpointsOfPod(pod: Pod, slices: readonly EndpointSlice[]): readonly string[] {
  const own = slices.flatMap((slice) =>
    slice.endpoints.filter((endpoint) => isEndpointOf(endpoint, pod)).flatMap((endpoint) => endpointTexts(slice, endpoint)),
  );
  return [...new Set(own)];
}

function reasonsOf(
  pod: Pod,
  service: Service,
  slices: readonly EndpointSlice[],
  isListed: boolean,
): readonly RegistrationReason[] {
  const reasons: RegistrationReason[] = [];
  const add = (code: RegistrationReason['code'], text: string): void => {
    reasons.push({ code, text });
  };
  const families = service.ipFamilies.filter((family) => !pod.addresses.some((address) => familyOf(address) === family));
  if (families.length > 0) {
    const which = pod.addresses.length === 0 ? 'no address yet' : `no IPv${families.join(' or IPv')} address`;
    add('no-address', pod.addresses.length === 0 ? `${which}: the CNI plugin has given it none` : which);
  }
  if (!isListed && families.length < service.ipFamilies.length && slices.some(({ derived }) => !derived))
    add('not-in-given-slices', 'in none of the slices that are given');
  if (pod.terminating) {
    const meanwhile = pod.serving ? 'still serves: used where no other is ready' : 'no longer ready: it gets nothing';
    add('terminating', `terminating, ${meanwhile}`);
  } else if (!pod.serving && service.publishNotReadyAddresses) {
    add('published-though-not-ready', 'not ready, but publishNotReadyAddresses counts it in');
  } else if (!pod.serving) {
    add('not-ready', 'not ready, as its kubelet says');
  }
  for (const port of service.ports) {
    const reason = portReason(pod, port);
    if (reason !== null) reasons.push(reason);
  }
  return reasons;
}

function portReason(pod: Pod, { targetPort, protocol }: ServicePort): RegistrationReason | null {
  if (typeof targetPort === 'string') {
    if (pod.ports.some(({ name, protocol: own }) => name === targetPort && own === protocol)) return null;
    const named = pod.ports.filter(({ name }) => name !== '').map(({ name, port }) => `${name} ${port}`);
    const has = named.length === 0 ? 'its ports have no names' : `it has ${listed(named)}`;
    const text = `no ${protocol} port named ${targetPort} (${pod.ports.length === 0 ? 'it declares none' : has})`;
    return { code: 'no-such-port', text };
  }
  const sockets = [...pod.ports.filter(({ listens }) => listens), ...pod.assumedPorts];
  if (sockets.some(({ port, protocol: own }) => port === targetPort && own === protocol)) return null;
  const open = sockets.filter(({ protocol: own }) => own === protocol).map(({ port }) => String(port));
  const instead = open.length === 0 ? `on no ${protocol} port` : `on ${listed(open)}`;
  return { code: 'not-listening', text: `nothing in it listens on ${protocol} ${targetPort}; it listens ${instead}` };
}
