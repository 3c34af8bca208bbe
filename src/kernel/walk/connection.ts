import { ipHeaderLength, ipv4, isIpv4, isMulticast } from '../../net/ip.ts';
import { TCP_FLAG } from '../../net/packet.ts';
import { SCTP_CHUNK } from '../../net/sctp.ts';
import { routeOutput } from '../routing/output.ts';
import { ConnectionSockets, mssHeaders, SCTP_INIT_LENGTH, synLength } from '../socket/connection-sockets.ts';
import { sentWhole } from '../socket/dont-fragment.ts';
import { verdictOfErrno } from '../socket/errno.ts';
import { invariant } from '../../support/invariant.ts';
import { hopLimit } from '../sysctl.ts';
import { continueConnection } from './continue-connection.ts';
import { perform, replyOf } from './perform.ts';
import { mtuOf } from '../routing/mtu.ts';
import { emitRoute } from './route-event.ts';
import { localSkb } from './skb.ts';
import { Walk } from './walk.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';
import type { Endpoint } from '../socket/connection-sockets.ts';
import type { Established } from '../socket/established.ts';
import type { Host } from '../host.ts';
import type { Flow } from '../routing/lookup.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Protocol, TransportProtocol } from '../../net/protocol.ts';
import type { KernelEvent } from '../../trace/event.ts';
import type { HostName } from '../host.ts';
import type { KernelState } from '../state.ts';
import type { World } from '../world.ts';
import type { Choices } from './choices.ts';

/** A process opens a connection: connect() and the first exchange, a datagram and its answer, or an echo. */
export interface ConnectionRequest {
  readonly host: HostName;
  /** Whose process it is: "pod/default/client", "node/node-1". */
  readonly owner: string;
  readonly protocol: TransportProtocol | 'icmp';
  readonly destination: IpAddress;
  /** 0 for icmp. */
  readonly port: number;
  readonly sourcePort: number | null;
  /** bind() address. */
  readonly sourceAddress: IpAddress | null;
  /** Bytes of UDP or ICMP data (null: a few); on TCP a segment of that size is sent after the handshake (null: none). */
  readonly payload: number | null;
  readonly dontFragment: boolean | null;
  readonly ttl: number | null;
  /** Ends after the request has arrived or died. */
  readonly noReply: boolean;
  /** A TCP connection that stands already: one more segment of it is sent (`payload` bytes; null: a few). */
  readonly established?: Established;
}

export type ConnectionPart = 'request' | 'reply' | 'ack' | 'data' | 'other';

/** A drop or an error that the walk came to, in order. */
export interface Loss {
  readonly part: ConnectionPart;
  /** Index of the drop event in that part's events (when events are recorded). */
  readonly event: number;
  readonly host: HostName;
  /** The kernel's drop reason, as in the DropEvent. */
  readonly reason: string;
}

export type ConnectionVerdict =
  | 'connected'
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'host-unreachable'
  | 'network-unreachable'
  | 'message-too-long'
  | 'prohibited'
  | 'not-permitted'
  | 'invalid-argument';

export interface ConnectionResult {
  readonly verdict: ConnectionVerdict;
  /** What the failing call reported: "ECONNREFUSED"; null when it did not fail. */
  readonly errno: string | null;
  /** Owner of the socket that answered (TCP: accepted the connection); null if none. */
  readonly server: string | null;
  /** That socket: its host, and the address and port that it answered on. */
  readonly answering: Endpoint | null;
  /** Source address and port of the client as the server's socket saw it; null if nothing arrived. */
  readonly source: { readonly address: IpAddress; readonly port: number } | null;
  /** The source that connect() chose; null when it failed before. */
  readonly local: { readonly address: IpAddress; readonly port: number } | null;
  /** The connection, where it may go on: both ends of TCP hold it. */
  readonly established: Established | null;
  /** Rules that could not be evaluated and might have mattered, as text. */
  readonly unknownRules: readonly string[];
  readonly losses: readonly Loss[];
  readonly request: readonly KernelEvent[];
  readonly reply: readonly KernelEvent[];
  readonly ack: readonly KernelEvent[];
  readonly data: readonly KernelEvent[];
  /** Rules that were looked at on the way, matched or not. */
  readonly rulesLookedAt: number;
  /** What the walk took, about one for each event whether recorded or not. */
  readonly work: number;
  /** The packet went round without end, or was too much to follow: it was followed only so far. */
  readonly givenUp: boolean;
}

export interface ConnectionOptions {
  readonly world: World;
  /** Changed: conntrack entries, neighbours, counters stay in it. Fork it first to keep the old one. */
  readonly state: KernelState;
  readonly choices: Choices;
  /** false: verdicts only, no events. */
  readonly record: boolean;
}

/** A source port where none is given; ephemeral ports start at 32768. */
const DEFAULT_SOURCE_PORT = 40000;
/** Bytes of data in a datagram or echo where no payload is given. */
const DEFAULT_PAYLOAD = 5;
/** UDP's header, and an echo's. */
const DATAGRAM_HEADER = 8;

/** 255.255.255.255 */
const LIMITED_BROADCAST = ipv4(0xffffffff);

/** Walks one connection to its end. Deterministic in its arguments. */
export function connect(request: ConnectionRequest, options: ConnectionOptions): ConnectionResult {
  if (request.established) return continueConnection(request, request.established, options);
  const { world, state, choices, record } = options;
  const walk = new Walk(world, state, choices, record);
  const host = world.host(request.host);
  invariant(host, `there is no host ${request.host}`);
  const opened = open(walk, host, request);
  if (opened.kind === 'failed') return result(walk, opened.errno, null, null);
  const { client, skb, mtu } = opened;
  const sockets = new ConnectionSockets(walk, request, client, mtu);
  walk.sockets = sockets;
  walk.push({ kind: 'output', host: host.name, skb });
  walk.run(perform);
  return result(walk, sockets.errno, sockets, { address: client.address, port: client.port });
}

type Opened =
  | { readonly kind: 'failed'; readonly errno: string }
  | { readonly kind: 'open'; readonly client: Endpoint; readonly skb: Skb; readonly mtu: number };

/** connect() or the first send: the route to the destination as written chooses the source; without one no packet is made. */
function open(walk: Walk, host: Host, request: ConnectionRequest): Opened {
  const port = request.sourcePort ?? DEFAULT_SOURCE_PORT;
  const flow = {
    dst: request.destination,
    src: request.sourceAddress,
    iif: 'lo',
    oif: null,
    mark: 0,
    tos: 0,
    protocol: l4Protocol(request),
    sport: port,
    dport: request.port,
  };
  const route = connectRoute(host, flow, walk.choices);
  const address = (route.kind === 'error' ? null : route.source) ?? request.sourceAddress;
  const skb = localSkb(firstPacket(host, request, address ?? request.destination, port), 'request', true);
  if (route.kind === 'error' || address === null) {
    emitRoute(walk, host, skb, route, 'output');
    const errno = route.kind === 'error' ? route.error : 'ENETUNREACH';
    walk.emit(skb, host, { kind: 'socket', action: 'error', owner: request.owner, errno });
    return { kind: 'failed', errno };
  }
  const refusal = refusedDestination(request, route);
  if (refusal) {
    walk.emit(skb, host, { kind: 'socket', action: 'error', owner: request.owner, errno: refusal });
    return { kind: 'failed', errno: refusal };
  }
  walk.emit(skb, host, { kind: 'socket', action: request.protocol === 'tcp' ? 'connect' : 'send', owner: request.owner });
  emitRoute(walk, host, skb, route, 'output');
  const mtu = mtuOf(host, route);
  if (request.protocol !== 'tcp' && skb.packet.length > mtu) {
    if (request.dontFragment === true) {
      walk.emit(skb, host, { kind: 'socket', action: 'error', owner: request.owner, errno: 'EMSGSIZE' });
      walk.losses.push({ part: 'request', event: walk.events.request.length - 1, host: host.name, reason: 'EMSGSIZE' });
      return { kind: 'failed', errno: 'EMSGSIZE' };
    }
    // With the default path MTU discovery what exceeds the MTU is sent in fragments, without DF (__ip_make_skb).
    skb.packet = { ...skb.packet, df: false };
  }
  if (skb.packet.l4.protocol === 'tcp')
    skb.packet = { ...skb.packet, l4: { ...skb.packet.l4, mss: mtu - mssHeaders(request.destination) } };
  skb.route = route;
  const client: Endpoint = {
    host: host.name,
    owner: request.owner,
    address,
    port,
    peer: request.destination,
    peerPort: request.protocol === 'icmp' ? 0 : request.port,
  };
  return { kind: 'open', client, skb, mtu };
}

/** tcp_v4_connect takes no group; a datagram to everybody needs SO_BROADCAST (ip4_datagram_connect). Null: the destination will do. */
function refusedDestination({ protocol, destination }: ConnectionRequest, route: ResolvedRoute): string | null {
  const toAll = route.kind === 'broadcast' || destination === LIMITED_BROADCAST;
  if (protocol === 'tcp' && (toAll || isMulticast(destination))) return 'ENETUNREACH';
  return toAll ? 'EACCES' : null;
}

/**
 * ip_route_connect: the first look-up finds the source, a second one with that source finds the way: `ip rule from` may lead elsewhere.
 * IPv6 keeps the first (ip6_dst_lookup_tail).
 */
function connectRoute(host: Host, flow: Flow, choices: Choices): ResolvedRoute {
  const route = routeOutput(host, flow, choices);
  const again =
    isIpv4(flow.dst) && flow.src === null && route.kind !== 'error' && host.routing.rules.some(({ from }) => from !== null);
  return again ? routeOutput(host, { ...flow, src: route.source }, choices) : route;
}

/** The protocol above IP: an echo's is ICMP, or ICMPv6. */
function l4Protocol({ protocol, destination }: ConnectionRequest): Protocol {
  return protocol === 'icmp' && !isIpv4(destination) ? 'icmpv6' : protocol;
}

function firstPacket(host: Host, request: ConnectionRequest, src: IpAddress, sport: number): Packet {
  const base = {
    src,
    dst: request.destination,
    ttl: request.ttl ?? hopLimit(host.sysctls, request.destination),
    tos: 0,
    df: sentWhole(request.dontFragment, request.destination),
  };
  const dport = request.port;
  const header = ipHeaderLength(request.destination);
  const length = header + DATAGRAM_HEADER + (request.payload ?? DEFAULT_PAYLOAD);
  switch (request.protocol) {
    case 'tcp':
      return { ...base, length: synLength(request.destination), l4: { protocol: 'tcp', sport, dport, flags: TCP_FLAG.SYN } };
    case 'udp':
      return { ...base, length, l4: { protocol: 'udp', sport, dport } };
    case 'sctp':
      return { ...base, length: header + SCTP_INIT_LENGTH, l4: { protocol: 'sctp', sport, dport, chunk: SCTP_CHUNK.INIT } };
    case 'icmp':
      return isIpv4(request.destination)
        ? { ...base, length, l4: { protocol: 'icmp', type: 8, code: 0, id: sport } }
        : { ...base, length, l4: { protocol: 'icmpv6', type: 128, code: 0, id: sport } };
  }
}

function result(
  walk: Walk,
  errno: string | null,
  sockets: ConnectionSockets | null,
  local: ConnectionResult['local'],
): ConnectionResult {
  const { request, ack, data } = walk.events;
  const reply = replyOf(walk);
  const verdict = errno !== null ? verdictOfErrno(errno) : sockets?.established ? 'connected' : 'timeout';
  return {
    verdict,
    errno,
    server: sockets?.server ?? null,
    answering: sockets?.answering ?? null,
    source: sockets?.source ?? null,
    local,
    established: errno === null ? (sockets?.ends ?? null) : null,
    unknownRules: [...walk.unknownRules],
    losses: walk.losses,
    request,
    reply,
    ack,
    data,
    rulesLookedAt: walk.rulesLookedAt,
    work: walk.work,
    givenUp: walk.givenUp,
  };
}
