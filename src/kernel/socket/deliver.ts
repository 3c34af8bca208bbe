import { ipHeaderLength } from '../../net/ip.ts';
import { TCP_FLAG } from '../../net/packet.ts';
import { SCTP_CHUNK } from '../../net/sctp.ts';
import { outputFlow } from '../routing/lookup.ts';
import { routeOutput } from '../routing/output.ts';
import { hopLimit, sysctl } from '../sysctl.ts';
import { sendIcmpError, UNREACHABLE } from '../walk/icmp-error.ts';
import { answerPart } from '../walk/part.ts';
import { resetFor } from '../walk/reject.ts';
import { localSkb } from '../walk/skb.ts';
import { vxlanReceive } from '../walk/vxlan.ts';
import { findListener } from './lookup.ts';
import type { IcmpHeader, Packet, SctpHeader, TcpHeader } from '../../net/packet.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Host } from '../host.ts';
import type { Skb } from '../walk/skb.ts';
import type { Walk } from '../walk/walk.ts';

/** ip_local_deliver_finish: the packet goes up to its protocol: a socket takes it, or the host says that nobody does. */
export function deliver(walk: Walk, host: Host, skb: Skb): void {
  const { l4 } = skb.packet;
  if (l4.protocol === 'udp' && vxlanReceive(walk, host, skb, l4)) return;
  if (walk.sockets?.receive(host, skb)) return;
  switch (l4.protocol) {
    case 'tcp':
      receiveTcp(walk, host, skb, l4);
      return;
    case 'sctp':
      receiveSctp(walk, host, skb, l4);
      return;
    case 'udp':
      receiveDatagram(walk, host, skb);
      return;
    case 'icmp':
    case 'icmpv6':
      if (l4.type !== (l4.protocol === 'icmp' ? 8 : 128)) return;
      if (ignoresEchoes(host, l4.protocol)) walk.drop(skb, host, 'ECHO_IGNORED', 'icmp_echo');
      else sendEchoReply(walk, host, skb, l4);
      return;
    case 'other':
      sendIcmpError(walk, host, skb, UNREACHABLE.PROTOCOL);
      walk.drop(skb, host, 'IP_NOPROTO', 'ip_protocol_deliver_rcu');
  }
}

/** tcp_v4_rcv for a packet of no connection: a SYN to a listener, else a RST. */
function receiveTcp(walk: Walk, host: Host, skb: Skb, tcp: TcpHeader): void {
  const listener = findListener(host, skb.packet);
  if (listener && (tcp.flags & (TCP_FLAG.SYN | TCP_FLAG.ACK | TCP_FLAG.RST)) === TCP_FLAG.SYN) {
    walk.sockets?.accept(host, skb, listener);
    return;
  }
  walk.emit(skb, host, { kind: 'socket', action: 'refuse', owner: null });
  if (!(tcp.flags & TCP_FLAG.RST)) {
    sendFromHost(walk, host, skb, resetFor(skb.packet, tcp, hopLimit(host.sysctls, skb.packet.src)), false);
  }
  walk.drop(skb, host, 'NO_SOCKET', 'tcp_v4_rcv');
}

/** __udp4_lib_rcv for a packet that no connected socket takes. */
function receiveDatagram(walk: Walk, host: Host, skb: Skb): void {
  const listener = findListener(host, skb.packet);
  if (listener) {
    walk.sockets?.accept(host, skb, listener);
    return;
  }
  walk.emit(skb, host, { kind: 'socket', action: 'refuse', owner: null });
  sendIcmpError(walk, host, skb, UNREACHABLE.PORT);
  walk.drop(skb, host, 'NO_SOCKET', '__udp4_lib_rcv');
}

/**
 * sctp_rcv for a packet of no association: an INIT to a listener, else an ABORT (sctp_sf_tabort_8_4_8), or what ends a shutdown
 * (sctp_sf_shut_8_4_5). An ABORT and the end of a shutdown are never answered (sctp_rcv_ootb, RFC 9260 8.4).
 */
function receiveSctp(walk: Walk, host: Host, skb: Skb, { sport, dport, chunk }: SctpHeader): void {
  const listener = findListener(host, skb.packet);
  if (listener && chunk === SCTP_CHUNK.INIT) {
    walk.sockets?.accept(host, skb, listener);
    return;
  }
  walk.emit(skb, host, { kind: 'socket', action: 'refuse', owner: null });
  if (chunk !== SCTP_CHUNK.ABORT && chunk !== SCTP_CHUNK.SHUTDOWN_COMPLETE) {
    const { src, dst } = skb.packet;
    const answer = chunk === SCTP_CHUNK.SHUTDOWN_ACK ? SCTP_CHUNK.SHUTDOWN_COMPLETE : SCTP_CHUNK.ABORT;
    const packet: Packet = {
      src: dst,
      dst: src,
      ttl: hopLimit(host.sysctls, src),
      tos: 0,
      df: true,
      length: ipHeaderLength(src) + SCTP_BARE_LENGTH,
      l4: { protocol: 'sctp', sport: dport, dport: sport, chunk: answer },
    };
    sendFromHost(walk, host, skb, packet, false);
  }
  walk.drop(skb, host, 'NO_SOCKET', 'sctp_rcv');
}

/** SCTP's header and a chunk that has nothing inside. */
export const SCTP_BARE_LENGTH = 12 + 4;

/** icmp_echo, icmpv6_rcv: a host can be told to answer no echo. The kernel then drops the request without a reason of its own. */
function ignoresEchoes(host: Host, protocol: 'icmp' | 'icmpv6'): boolean {
  return sysctl(host.sysctls, protocol === 'icmp' ? 'net.ipv4.icmp_echo_ignore_all' : 'net.ipv6.icmp.echo_ignore_all') !== 0;
}

/** icmp_echo, icmpv6_echo_reply: every host answers, from the address that was asked. */
function sendEchoReply(walk: Walk, host: Host, skb: Skb, icmp: IcmpHeader): void {
  const { packet } = skb;
  walk.sockets?.accept(host, skb, { protocol: 'udp', address: null, port: 0, owner: host.name });
  if (walk.sockets?.silent) return;
  const reply: Packet = {
    src: packet.dst,
    dst: packet.src,
    ttl: hopLimit(host.sysctls, packet.src),
    tos: packet.tos,
    df: false,
    length: packet.length,
    l4: { ...icmp, type: icmp.protocol === 'icmp' ? 0 : 129, code: 0 },
  };
  sendFromHost(walk, host, skb, reply, false);
}

/**
 * Routes a packet of the host itself and sends it; where no route leads to the other end, nothing is sent. With `source` null the
 * look-up chooses the source, as for a socket on the wildcard address that answers a datagram (udp_sendmsg).
 */
export function sendFromHost(
  walk: Walk,
  host: Host,
  about: Skb,
  packet: Packet,
  bySocket: boolean,
  source: IpAddress | null = packet.src,
): boolean {
  const route = routeOutput(host, outputFlow(packet, source, 0), walk.choices);
  const src = (route.kind === 'error' ? null : route.source) ?? packet.src;
  const skb = localSkb({ ...packet, src }, answerPart(about), bySocket);
  if (route.kind === 'error') {
    walk.drop(skb, host, 'IP_OUTNOROUTES', 'ip_route_output_flow', { detail: { errno: route.error } });
    return false;
  }
  skb.route = route;
  walk.push({ kind: 'output', host: host.name, skb });
  return true;
}
