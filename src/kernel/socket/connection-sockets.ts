import { ipHeaderLength } from '../../net/ip.ts';
import { TCP_FLAG } from '../../net/packet.ts';
import { SCTP_CHUNK } from '../../net/sctp.ts';
import { outputFlow, transport } from '../routing/lookup.ts';
import { routeOutput } from '../routing/output.ts';
import { hopLimit } from '../sysctl.ts';
import { localSkb } from '../walk/skb.ts';
import { mtuOf } from '../routing/mtu.ts';
import { SCTP_BARE_LENGTH, sendFromHost } from './deliver.ts';
import { sentWhole } from './dont-fragment.ts';
import { errnoOfIcmp } from './errno.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { IcmpHeader, Packet, TcpHeader } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { ConnectionPart, ConnectionRequest } from '../walk/connection.ts';
import type { Skb } from '../walk/skb.ts';
import type { SocketLayer, Walk } from '../walk/walk.ts';
import type { Established } from './established.ts';
import type { Listener } from './listener.ts';

/** Bytes of a SYN with the usual options, IP header included. */
export function synLength(address: IpAddress): number {
  return ipHeaderLength(address) + 40;
}

/** Bytes of IP and TCP header of later segments, with timestamps. */
export function segmentHeaders(address: IpAddress): number {
  return ipHeaderLength(address) + 32;
}

/** Bytes of IP and TCP header without options, which an MSS is counted from. */
export function mssHeaders(address: IpAddress): number {
  return ipHeaderLength(address) + 20;
}

/** UDP header, and what the probe's server says to a datagram. */
const ANSWER_LENGTH = 8 + 248;
/** SCTP's header with an INIT and its parameters. */
export const SCTP_INIT_LENGTH = 48;
/** The state cookie that an INIT-ACK brings and a COOKIE-ECHO takes back, about (struct sctp_signed_cookie). */
const SCTP_COOKIE_LENGTH = 256;

/** One end as the packets at that end name it. */
export interface Endpoint {
  readonly host: string;
  readonly owner: string;
  readonly address: IpAddress;
  readonly port: number;
  readonly peer: IpAddress;
  readonly peerPort: number;
}

/** Both ends of one connection: the client that asked, and the server once a packet has reached it. */
export class ConnectionSockets implements SocketLayer {
  readonly silent: boolean;
  readonly #walk: Walk;
  readonly #request: ConnectionRequest;
  readonly #client: Endpoint;
  #server: Endpoint | null = null;
  /** The server has the connection (TCP, SCTP), or the packet (others). */
  #accepted = false;
  #established = false;
  #errno: string | null = null;
  /** Largest segment that both ends and the path, as far as known, allow. */
  #segment: number;
  #dataSent = false;
  #dataArrived = false;

  constructor(walk: Walk, request: ConnectionRequest, client: Endpoint, mtu: number) {
    this.#walk = walk;
    this.#request = request;
    this.#client = client;
    this.silent = request.noReply;
    this.#segment = mtu - mssHeaders(client.peer);
  }

  get errno(): string | null {
    return this.#errno;
  }

  /** The exchange that was asked for has come to its good end. */
  get established(): boolean {
    return this.#established && (!this.#dataSent || this.#dataArrived);
  }

  get server(): string | null {
    return this.#accepted ? (this.#server?.owner ?? null) : null;
  }

  /** The socket that answered, as the packets at its host name it. */
  get answering(): Endpoint | null {
    return this.#accepted ? this.#server : null;
  }

  get source(): { readonly address: IpAddress; readonly port: number } | null {
    return this.#accepted && this.#server ? { address: this.#server.peer, port: this.#server.peerPort } : null;
  }

  /** Both ends, once the server has accepted the TCP connection. */
  get ends(): Established | null {
    if (this.#request.protocol !== 'tcp' || !this.#established || !this.#accepted || !this.#server) return null;
    return { client: this.#client, server: this.#server, segment: this.#segment };
  }

  receive(host: Host, skb: Skb): boolean {
    const { packet } = skb;
    const { l4 } = packet;
    if ('embedded' in l4 && l4.embedded) return this.#receiveError(host, skb, l4, l4.embedded);
    if (isFor(this.#client, host, packet)) return this.#receiveAtClient(host, skb);
    if (this.#server && isFor(this.#server, host, packet)) {
      if (l4.protocol === 'tcp') return this.#receiveAtServer(host, skb, l4);
      if (l4.protocol === 'sctp') return this.#receiveAtSctpServer(host, skb, l4.chunk);
    }
    return false;
  }

  owner(host: Host, packet: Packet): string | null {
    for (const end of [this.#client, this.#server]) if (end && isFor(end, host, packet)) return end.owner;
    return null;
  }

  accept(host: Host, skb: Skb, { owner, address }: Listener): void {
    const { packet } = skb;
    const { sport, dport } = transport(packet);
    const walk = this.#walk;
    walk.emit(skb, host, { kind: 'socket', action: 'deliver', owner });
    if (skb.part !== 'request') return;
    this.#server = { host: host.name, owner, address: packet.dst, port: dport, peer: packet.src, peerPort: sport };
    if (packet.l4.protocol !== 'tcp' && packet.l4.protocol !== 'sctp') this.#accepted = true;
    if (this.silent) {
      this.#accepted = true;
      return;
    }
    const base = { ttl: hopLimit(host.sysctls, packet.src), tos: 0, df: true, src: packet.dst, dst: packet.src };
    switch (packet.l4.protocol) {
      case 'tcp': {
        const flags = TCP_FLAG.SYN | TCP_FLAG.ACK;
        sendFromHost(
          walk,
          host,
          skb,
          {
            ...base,
            length: synLength(packet.src),
            l4: { protocol: 'tcp', sport: dport, dport: sport, flags, mss: this.#serverMtu(host) - mssHeaders(packet.src) },
          },
          true,
        );
        return;
      }
      case 'udp':
        sendFromHost(
          walk,
          host,
          skb,
          { ...base, length: ipHeaderLength(packet.src) + ANSWER_LENGTH, l4: { protocol: 'udp', sport: dport, dport: sport } },
          true,
          address,
        );
        return;
      case 'sctp':
        sendFromHost(
          walk,
          host,
          skb,
          {
            ...base,
            length: ipHeaderLength(packet.src) + SCTP_INIT_LENGTH + SCTP_COOKIE_LENGTH,
            l4: { protocol: 'sctp', sport: dport, dport: sport, chunk: SCTP_CHUNK.INIT_ACK },
          },
          false,
        );
        return;
      case 'icmp':
      case 'icmpv6':
      case 'other':
        return;
    }
  }

  fail(_host: Host, skb: Skb, errno: string): void {
    // TCP and SCTP keep quiet about a packet lost in their own OUTPUT and send it again.
    const { protocol } = skb.packet.l4;
    if (skb.part === 'request' && protocol !== 'tcp' && protocol !== 'sctp') this.#errno ??= errno;
  }

  #receiveAtClient(host: Host, skb: Skb): boolean {
    const { l4 } = skb.packet;
    const walk = this.#walk;
    switch (l4.protocol) {
      case 'tcp':
        if (l4.flags & TCP_FLAG.RST) {
          walk.emit(skb, host, { kind: 'socket', action: 'error', owner: this.#client.owner, errno: 'ECONNREFUSED' });
          if (!this.#established) this.#errno ??= 'ECONNREFUSED';
          else if (this.#dataSent) this.#errno ??= 'ECONNRESET';
          return true;
        }
        if (!this.#established && l4.flags & TCP_FLAG.SYN && l4.flags & TCP_FLAG.ACK) {
          walk.emit(skb, host, { kind: 'socket', action: 'answer', owner: this.#client.owner });
          this.#established = true;
          this.#segment = Math.min(this.#segment, l4.mss ?? this.#segment);
          this.#send(host, TCP_FLAG.ACK, segmentHeaders(this.#client.peer), 'ack');
        }
        return true;
      case 'sctp':
        this.#receiveAtSctpClient(host, skb, l4.chunk);
        return true;
      case 'udp':
        walk.emit(skb, host, { kind: 'socket', action: 'answer', owner: this.#client.owner });
        this.#established = true;
        return true;
      case 'icmp':
      case 'icmpv6':
        if (l4.type !== (l4.protocol === 'icmp' ? 0 : 129)) return false;
        walk.emit(skb, host, { kind: 'socket', action: 'answer', owner: this.#client.owner });
        this.#established = true;
        return true;
      case 'other':
        return false;
    }
  }

  #receiveAtServer(host: Host, skb: Skb, tcp: TcpHeader): boolean {
    const server = this.#server;
    if (!server) return false;
    if (tcp.flags & TCP_FLAG.SYN) return false;
    if (tcp.flags & TCP_FLAG.RST) return true;
    this.#walk.emit(skb, host, { kind: 'socket', action: 'deliver', owner: server.owner });
    if (skb.part === 'data') {
      this.#dataArrived = true;
      return true;
    }
    this.#accepted = true;
    if (skb.part === 'ack' && this.#request.payload !== null) this.#sendData();
    return true;
  }

  /** An INIT-ACK is answered with its cookie (sctp_sf_do_5_1C_ack); the COOKIE-ACK ends connect() (sctp_sf_do_5_1E_ca). */
  #receiveAtSctpClient(host: Host, skb: Skb, chunk: number): void {
    const { owner } = this.#client;
    switch (chunk) {
      case SCTP_CHUNK.INIT_ACK:
        this.#walk.emit(skb, host, { kind: 'socket', action: 'answer', owner });
        this.#sendSctp(host, this.#client, SCTP_CHUNK.COOKIE_ECHO, SCTP_COOKIE_LENGTH, 'ack');
        return;
      case SCTP_CHUNK.COOKIE_ACK:
        this.#walk.emit(skb, host, { kind: 'socket', action: 'answer', owner });
        this.#established = true;
        return;
      case SCTP_CHUNK.ABORT:
        // sctp_sf_cookie_wait_abort
        this.#walk.emit(skb, host, { kind: 'socket', action: 'error', owner, errno: 'ECONNREFUSED' });
        if (!this.#established) this.#errno ??= 'ECONNREFUSED';
        return;
      default:
    }
  }

  /** The server keeps nothing of an INIT: the cookie that comes back makes the association (sctp_sf_do_5_1D_ce). */
  #receiveAtSctpServer(host: Host, skb: Skb, chunk: number): boolean {
    const server = this.#server;
    if (!server || chunk === SCTP_CHUNK.INIT) return false;
    if (chunk !== SCTP_CHUNK.COOKIE_ECHO) return true;
    this.#walk.emit(skb, host, { kind: 'socket', action: 'deliver', owner: server.owner });
    this.#accepted = true;
    this.#sendSctp(host, server, SCTP_CHUNK.COOKIE_ACK, 0, 'ack');
    return true;
  }

  #sendSctp(host: Host, from: Endpoint, chunk: number, content: number, part: ConnectionPart): void {
    const packet: Packet = {
      src: from.address,
      dst: from.peer,
      ttl: (from === this.#client ? this.#request.ttl : null) ?? hopLimit(host.sysctls, from.peer),
      tos: 0,
      df: true,
      length: ipHeaderLength(from.peer) + SCTP_BARE_LENGTH + content,
      l4: { protocol: 'sctp', sport: from.port, dport: from.peerPort, chunk },
    };
    const route = routeOutput(host, outputFlow(packet, from.address, 0), this.#walk.choices);
    if (route.kind === 'error') return;
    const skb = localSkb(packet, part, true);
    skb.route = route;
    this.#walk.push({ kind: 'output', host: host.name, skb });
  }

  #serverMtu(host: Host): number {
    const server = this.#server;
    if (!server) return 65535;
    const flow = {
      dst: server.peer,
      src: server.address,
      iif: 'lo',
      oif: null,
      mark: 0,
      tos: 0,
      protocol: 'tcp',
      sport: 0,
      dport: 0,
    };
    const route = routeOutput(host, flow, this.#walk.choices);
    return route.kind === 'error' ? 65535 : mtuOf(host, route);
  }

  /** One segment of the payload, cut to what the ends have agreed on. */
  #sendData(): void {
    const host = this.#walk.world.host(this.#client.host);
    if (!host) return;
    this.#dataSent = true;
    const headers = segmentHeaders(this.#client.peer);
    const bytes = Math.min(this.#request.payload ?? 0, this.#segment + mssHeaders(this.#client.peer) - headers);
    this.#send(host, TCP_FLAG.ACK | TCP_FLAG.PSH, headers + bytes, 'data');
  }

  #send(host: Host, flags: number, length: number, part: ConnectionPart): void {
    const { address, port, peer, peerPort } = this.#client;
    const packet: Packet = {
      src: address,
      dst: peer,
      ttl: this.#request.ttl ?? hopLimit(host.sysctls, peer),
      tos: 0,
      df: sentWhole(this.#request.dontFragment, peer),
      length,
      l4: { protocol: 'tcp', sport: port, dport: peerPort, flags },
    };
    const skb = localSkb(packet, part, true);
    const route = routeOutput(host, outputFlow(packet, address, 0), this.#walk.choices);
    if (route.kind === 'error') return;
    skb.route = route;
    this.#walk.push({ kind: 'output', host: host.name, skb });
  }

  /**
   * icmp_unreach, icmpv6_notify: the error reaches the socket whose packet it quotes; others ignore it. To SCTP it is a soft error: INIT is
   * sent on until connect() gives up, unless the other end has no such protocol (sctp_v4_err_handle).
   */
  #receiveError(host: Host, skb: Skb, icmp: IcmpHeader, embedded: Packet): boolean {
    const client = this.#client;
    const { sport, dport } = identify(embedded);
    const ours =
      host.name === client.host &&
      embedded.src === client.address &&
      embedded.dst === client.peer &&
      sport === client.port &&
      dport === client.peerPort;
    if (!ours) return true;
    const errno = errnoOfIcmp(icmp);
    if (errno === null) return true;
    if (embedded.l4.protocol === 'tcp' && errno === 'EMSGSIZE') {
      this.#reduceSegment(icmp.mtu ?? 0);
      return true;
    }
    if (embedded.l4.protocol === 'sctp' && errno !== 'ENOPROTOOPT') return true;
    this.#walk.emit(skb, host, { kind: 'socket', action: 'error', owner: client.owner, errno });
    if (!this.#established) this.#errno ??= errno;
    return true;
  }

  /** tcp_v4_mtu_reduced, tcp_v6_mtu_reduced: path MTU discovery cuts the segment and sends it again. */
  #reduceSegment(mtu: number): void {
    const segment = mtu - mssHeaders(this.#client.peer);
    if (!this.#dataSent || this.#dataArrived || segment >= this.#segment) return;
    this.#segment = segment;
    this.#sendData();
  }
}

/** Ports, or an echo's id on the client's side. */
export function identify({ l4 }: Packet): { readonly sport: number; readonly dport: number } {
  if ('sport' in l4) return l4;
  return 'id' in l4 ? { sport: l4.id, dport: 0 } : { sport: 0, dport: 0 };
}

/** Is a packet addressed to this end of a connection? */
export function isFor(end: Endpoint, host: Host, packet: Packet): boolean {
  if (host.name !== end.host || packet.dst !== end.address || packet.src !== end.peer) return false;
  const { l4 } = packet;
  if ('sport' in l4) return l4.dport === end.port && l4.sport === end.peerPort;
  return 'id' in l4 && l4.id === end.port;
}
