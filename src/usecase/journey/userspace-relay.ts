import { userspaceTargets } from '../../kubernetes/kube-proxy/userspace/targets.ts';
import { formatIp } from '../../net/ip.ts';
import { whyEmpty } from '../cause/service-refuses.ts';
import { connectOnward } from './relay.ts';
import { end } from './step.ts';
import type { Choices } from '../../kernel/walk/choices.ts';
import type { KernelState } from '../../kernel/state.ts';
import type { UserspaceTargets } from '../../kubernetes/kube-proxy/userspace/targets.ts';
import type { ProxyEndpoint } from '../../kubernetes/services/endpoints.ts';
import type { Cause } from '../../trace/outcome.ts';
import type { Answering, Arrival } from './relay.ts';
import type { Move } from './step.ts';

/** kube-proxy dials so many endpoints, for 250 ms, 500 ms, 1 s and 2 s, before it gives up (proxysocket.go EndpointDialTimeouts). */
const TRIES = 4;

/** What takes part in one relayed connection. */
interface Relayed {
  readonly arrival: Arrival;
  readonly answering: Answering;
  readonly targets: UserspaceTargets;
}

/**
 * kube-proxy in userspace mode: it has taken the connection on a port of its own, and makes another one to an endpoint, from the node. The
 * client's handshake is over by then, so whatever fails now breaks a connection that seemed to stand (tcpProxySocket.ProxyLoop).
 */
export function userspaceRelay(arrival: Arrival, answering: Answering): Move | null {
  const { cluster, step } = arrival;
  const { protocol } = step.request;
  const node = cluster.nodes.find(({ name }) => `node/${name}` === answering.host);
  if (node === undefined || (protocol !== 'tcp' && protocol !== 'udp')) return null;
  const targets = userspaceTargets(cluster, node, answering.port, protocol);
  return targets && dial({ arrival, answering, targets }, [], arrival.choices, arrival.state);
}

/** TryConnectEndpoints: the endpoint that the client had before, else the next one; one that fails is followed by the next. */
function dial(relayed: Relayed, tried: readonly ProxyEndpoint[], choices: Choices, state: KernelState): Move {
  const { arrival, answering, targets } = relayed;
  if (targets.endpoints.length === 0) return withoutEndpoints(relayed);
  // It goes on with the first one again; nothing has changed meanwhile, so that is left out.
  if (tried.length === Math.min(TRIES, targets.endpoints.length)) return givenUp(relayed);
  const key = memoryKey(targets);
  const kept = tried.length === 0 ? rememberedEndpoint(relayed, state) : undefined;
  const endpoint = kept ?? nextEndpoint(relayed, tried, choices);
  const { protocol } = arrival.step.request;
  const pod = arrival.cluster.pods.find(({ addresses }) => addresses.includes(endpoint.address)) ?? null;
  return connectOnward(arrival, answering, {
    purpose: 'proxy',
    label: pod ? `pod/${pod.namespace}/${pod.name}:${endpoint.port}` : endpoint.text,
    address: endpoint.address,
    port: endpoint.port,
    pod,
    sourcePort: sourcePort(arrival, tried.length),
    text: proxyText(relayed, endpoint, tried, kept !== undefined),
    remember: (after) => {
      if (targets.affinity === null) return;
      const { modules } = after.host(answering.host);
      const clients = new Map(clientsIn(modules.get(key)));
      clients.set(formatIp(answering.peer), { endpoint: endpoint.text, at: after.now });
      modules.set(key, clients);
    },
    ...(protocol === 'tcp' && {
      retry: (nextChoices: Choices, nextState: KernelState) => dial(relayed, [...tried, endpoint], nextChoices, nextState),
    }),
    ending: { assumptions: unknownFeatures(targets) },
    // A datagram that nobody answers is lost to the client: an ICMP error comes to kube-proxy's socket, which is closed (proxyClient).
    failed: () => ({ verdict: 'timeout', unanswered: true }),
  });
}

/** What the service asks for and this mode has never heard of. */
function unknownFeatures({ servicePort: { service } }: UserspaceTargets): readonly string[] {
  const unknown = [
    ...(service.externalTrafficPolicy === 'Local' ? ['externalTrafficPolicy Local'] : []),
    ...(service.internalTrafficPolicy === 'Local' ? ['internalTrafficPolicy Local'] : []),
    ...(service.loadBalancerSourceRanges.length > 0 ? ['loadBalancerSourceRanges'] : []),
    ...(service.clusterIps.length > 1 ? ['a second IP family'] : []),
  ];
  const name = `Service ${service.namespace}/${service.name}`;
  return unknown.length === 0 ? [] : [`mode userspace knows nothing of what ${name} asks for: ${unknown.join(', ')}`];
}

/** Clients with affinity, as the process keeps them (affinityPolicy). */
type Clients = ReadonlyMap<string, { readonly endpoint: string; readonly at: number }>;

function memoryKey({ servicePort: { name, protocol } }: UserspaceTargets): string {
  return `kube-proxy ${name} ${protocol}`;
}

function clientsIn(memory: unknown): Clients {
  return memory instanceof Map ? (memory as Clients) : new Map();
}

/** NextEndpoint with affinity: told by the client's address, whatever its port. */
function rememberedEndpoint({ answering, targets }: Relayed, state: KernelState): ProxyEndpoint | undefined {
  if (targets.affinity === null) return undefined;
  const memory = state.host(answering.host).modules.get(memoryKey(targets));
  const client = clientsIn(memory).get(formatIp(answering.peer));
  if (client === undefined || state.now - client.at >= targets.affinity.seconds * 1000) return undefined;
  return targets.endpoints.find(({ text }) => text === client.endpoint);
}

/** The next one in turn. Their order is shuffled and the turn depends on all connections before, so it is a choice. */
function nextEndpoint(
  { targets: { endpoints, servicePort } }: Relayed,
  tried: readonly ProxyEndpoint[],
  choices: Choices,
): ProxyEndpoint {
  const left = endpoints.filter((endpoint) => !tried.includes(endpoint));
  const picked =
    left.length === 1
      ? 0
      : choices.pick(
          `userspace ${servicePort.name}`,
          left.map(() => 1 / left.length),
        );
  return left[picked]!;
}

/** Where kube-proxy's own connections come from; a real kernel draws the port. Another one for each connection of a client, and each try. */
function sourcePort({ step }: Arrival, tried: number): number {
  return 45000 + (((step.request.sourcePort ?? 0) * TRIES + tried) % 15000);
}

function proxyText({ targets }: Relayed, endpoint: ProxyEndpoint, tried: readonly ProxyEndpoint[], kept: boolean): string {
  const count = targets.endpoints.length;
  const choice = kept ? 'this client’s (ClientIP)' : count === 1 ? 'the only endpoint' : `1 of ${count} in turn`;
  const failed = tried.at(-1);
  return failed === undefined
    ? `kube-proxy relays to ${endpoint.text}, ${choice}`
    : `kube-proxy could not reach ${failed.text}; next ${endpoint.text}`;
}

/** tryConnect fails at once: ErrMissingEndpoints. A TCP connection is closed; its unread request makes that a reset. */
function withoutEndpoints({ arrival, answering, targets: { servicePort } }: Relayed): Move {
  const { cluster, step } = arrival;
  const { service } = servicePort;
  const why = whyEmpty(cluster, service);
  const what =
    step.request.protocol === 'udp'
      ? 'takes its datagrams and drops them'
      : 'takes the connection and closes it: the client connects all right, and then the connection breaks';
  const cause: Omit<Cause, 'at'> = {
    code: 'no-endpoints',
    text: `Service ${service.namespace}/${service.name} has no ready endpoint, so kube-proxy, a process of ${answering.host}, ${what}: ${why.text}`,
    remedy: why.remedy,
  };
  return step.request.protocol === 'udp'
    ? end({ verdict: 'timeout', answered: 'asked', unanswered: true, cause })
    : end({ verdict: 'reset', answered: 'asked', cause });
}

function givenUp({ answering }: Relayed): Move {
  const note = `kube-proxy of ${answering.host} tried ${TRIES} times to reach an endpoint, then closed the client’s connection, whose handshake had gone well`;
  return end({ verdict: 'reset', answered: 'asked', notes: [note] });
}
