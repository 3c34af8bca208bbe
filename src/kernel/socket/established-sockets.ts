import { TCP_FLAG } from '../../net/packet.ts';
import { outputFlow } from '../routing/lookup.ts';
import { routeOutput } from '../routing/output.ts';
import { hopLimit } from '../sysctl.ts';
import { emitRoute } from '../walk/route-event.ts';
import { localSkb } from '../walk/skb.ts';
import { identify, isFor, mssHeaders, segmentHeaders } from './connection-sockets.ts';
import { sendFromHost } from './deliver.ts';
import { sentWhole } from './dont-fragment.ts';
import { errnoOfIcmp } from './errno.ts';
import type { IcmpHeader, Packet, TcpHeader } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { ConnectionRequest } from '../walk/connection.ts';
import type { Skb } from '../walk/skb.ts';
import type { SocketLayer, Walk } from '../walk/walk.ts';
import type { Listener } from './listener.ts';
import type { Established } from './established.ts';

/** Bytes of data where no payload is given. */
const DEFAULT_PAYLOAD = 5;

/** Both ends of a TCP connection that is there already: the client sends one segment, the server acknowledges it. */
export class EstablishedSockets implements SocketLayer {
  readonly silent: boolean;
  readonly #walk: Walk;
  readonly #request: ConnectionRequest;
  readonly #ends: Established;
  #segment: number;
  #arrived = false;
  #acknowledged = false;
  #errno: string | null = null;

  constructor(walk: Walk, request: ConnectionRequest, ends: Established) {
    this.#walk = walk;
    this.#request = request;
    this.#ends = ends;
    this.#segment = ends.segment;
    this.silent = request.noReply;
  }

  /** Set by a RST, or by an ICMP error: the kernel tries on for a quarter of an hour and then reports that (tcp_write_err). */
  get errno(): string | null {
    return this.#acknowledged ? null : this.#errno;
  }

  get acknowledged(): boolean {
    return this.#acknowledged;
  }

  /** Owner of the server's socket, once the segment has reached it. */
  get server(): string | null {
    return this.#arrived ? (this.#ends.server?.owner ?? null) : null;
  }

  /** The server's socket, once the segment has reached it. */
  get answering(): Established['server'] {
    return this.#arrived ? this.#ends.server : null;
  }

  /** The client as the server's socket sees it, once the segment has reached it. */
  get source(): { readonly address: Packet['src']; readonly port: number } | null {
    const { server } = this.#ends;
    return this.#arrived && server ? { address: server.peer, port: server.peerPort } : null;
  }

  /** The client's send(): one segment, cut to what the ends have agreed on. */
  send(host: Host): void {
    const { address, port, peer, peerPort } = this.#ends.client;
    const headers = segmentHeaders(peer);
    const data = Math.min(this.#request.payload ?? DEFAULT_PAYLOAD, this.#segment + mssHeaders(peer) - headers);
    const packet: Packet = {
      src: address,
      dst: peer,
      ttl: this.#request.ttl ?? hopLimit(host.sysctls, peer),
      tos: 0,
      df: sentWhole(this.#request.dontFragment, peer),
      length: headers + data,
      l4: { protocol: 'tcp', sport: port, dport: peerPort, flags: TCP_FLAG.ACK | TCP_FLAG.PSH },
    };
    const skb = localSkb(packet, 'request', true);
    this.#walk.emit(skb, host, { kind: 'socket', action: 'send', owner: this.#request.owner });
    const route = routeOutput(host, outputFlow(packet, address, 0), this.#walk.choices);
    emitRoute(this.#walk, host, skb, route, 'output');
    if (route.kind === 'error') {
      // ip_queue_xmit: the segment is tried again later, as if it were lost.
      this.#walk.drop(skb, host, 'IP_OUTNOROUTES', 'ip_queue_xmit', { detail: { errno: route.error } });
      return;
    }
    skb.route = route;
    this.#walk.push({ kind: 'output', host: host.name, skb });
  }

  receive(host: Host, skb: Skb): boolean {
    const { l4 } = skb.packet;
    if ('embedded' in l4 && l4.embedded) {
      this.#receiveError(host, skb, l4, l4.embedded);
      return true;
    }
    if (l4.protocol !== 'tcp') return false;
    const { client, server } = this.#ends;
    if (isFor(client, host, skb.packet)) return this.#receiveAtClient(host, skb, l4);
    if (server && isFor(server, host, skb.packet)) return this.#receiveAtServer(host, skb, l4);
    return false;
  }

  owner(host: Host, packet: Packet): string | null {
    const { client, server } = this.#ends;
    for (const end of [client, server]) if (end && isFor(end, host, packet)) return end.owner;
    return null;
  }

  /** Whatever a listener takes is none of this connection: it began long ago. */
  accept(host: Host, skb: Skb, { owner }: Listener): void {
    this.#walk.emit(skb, host, { kind: 'socket', action: 'deliver', owner });
  }

  /** TCP keeps quiet about a segment lost in its own OUTPUT and sends it again. */
  fail(): void {}

  #receiveAtClient(host: Host, skb: Skb, tcp: TcpHeader): boolean {
    const { owner } = this.#ends.client;
    if (tcp.flags & TCP_FLAG.RST) {
      this.#walk.emit(skb, host, { kind: 'socket', action: 'error', owner, errno: 'ECONNRESET' });
      this.#errno ??= 'ECONNRESET';
    } else if (!this.#acknowledged) {
      this.#walk.emit(skb, host, { kind: 'socket', action: 'answer', owner });
      this.#acknowledged = true;
    }
    return true;
  }

  #receiveAtServer(host: Host, skb: Skb, tcp: TcpHeader): boolean {
    const { server } = this.#ends;
    if (!server || tcp.flags & TCP_FLAG.SYN) return false;
    if (tcp.flags & TCP_FLAG.RST) return true;
    this.#walk.emit(skb, host, { kind: 'socket', action: 'deliver', owner: server.owner });
    this.#arrived = true;
    if (this.silent) return true;
    const { address, port, peer, peerPort } = server;
    const packet: Packet = {
      src: address,
      dst: peer,
      ttl: hopLimit(host.sysctls, peer),
      tos: 0,
      df: true,
      length: segmentHeaders(peer),
      l4: { protocol: 'tcp', sport: port, dport: peerPort, flags: TCP_FLAG.ACK },
    };
    sendFromHost(this.#walk, host, skb, packet, false);
    return true;
  }

  /** tcp_v4_err, tcp_v6_err: path MTU discovery cuts the segment and sends it again; other errors are kept until the kernel gives up. */
  #receiveError(host: Host, skb: Skb, icmp: IcmpHeader, embedded: Packet): void {
    const { client } = this.#ends;
    const { sport, dport } = identify(embedded);
    const ours =
      host.name === client.host &&
      embedded.src === client.address &&
      embedded.dst === client.peer &&
      sport === client.port &&
      dport === client.peerPort;
    const errno = ours ? errnoOfIcmp(icmp) : null;
    if (errno === null) return;
    if (errno === 'EMSGSIZE') {
      const segment = (icmp.mtu ?? 0) - mssHeaders(client.peer);
      if (this.#arrived || segment >= this.#segment) return;
      this.#segment = segment;
      this.send(host);
      return;
    }
    this.#walk.emit(skb, host, { kind: 'socket', action: 'error', owner: client.owner, errno });
    this.#errno ??= errno;
  }
}
