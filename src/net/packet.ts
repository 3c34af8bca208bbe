import type { IpAddress } from './ip.ts';
import type { Mac } from './mac.ts';

/** TCP header flags as bits (RFC 9293). */
export const TCP_FLAG = { FIN: 1, SYN: 2, RST: 4, PSH: 8, ACK: 16, URG: 32 } as const;

export interface TcpHeader {
  readonly protocol: 'tcp';
  readonly sport: number;
  readonly dport: number;
  /** Bits of {@link TCP_FLAG}. */
  readonly flags: number;
  /** Maximum segment size, an option of a SYN (RFC 9293 3.7.1): bytes of TCP header without options and data that the sender takes. */
  readonly mss?: number;
}

export interface UdpHeader {
  readonly protocol: 'udp';
  readonly sport: number;
  readonly dport: number;
  /** Present on a tunnel's outer datagram: the frame inside. */
  readonly encapsulated?: Encapsulation;
}

export interface SctpHeader {
  readonly protocol: 'sctp';
  readonly sport: number;
  readonly dport: number;
  /** Type of the first chunk (RFC 9260): INIT 1, INIT ACK 2, ABORT 6 ... */
  readonly chunk: number;
}

export interface IcmpHeader {
  readonly protocol: 'icmp' | 'icmpv6';
  readonly type: number;
  readonly code: number;
  /** Identifier of an echo. */
  readonly id: number;
  /** Next-hop MTU of "fragmentation needed" and "packet too big". */
  readonly mtu?: number;
  /** The packet an error is about, as far as it is quoted. */
  readonly embedded?: Packet;
}

/** Any protocol without a shape of its own. */
export interface OtherHeader {
  readonly protocol: 'other';
  readonly number: number;
}

export type L4Header = TcpHeader | UdpHeader | SctpHeader | IcmpHeader | OtherHeader;

/** Where a fragment lies in its datagram; offset in bytes. */
export interface Fragment {
  readonly id: number;
  readonly offset: number;
  readonly more: boolean;
}

/** What a tunnel carries. */
export interface Encapsulation {
  readonly vni: number;
  readonly frame: Frame;
}

export interface Frame {
  readonly srcMac: Mac;
  readonly dstMac: Mac;
  readonly packet: Packet;
}

/** An IP packet. `src` and `dst` are of one family. */
export interface Packet {
  readonly src: IpAddress;
  readonly dst: IpAddress;
  readonly ttl: number;
  readonly tos: number;
  /** IPv4 "don't fragment". Of IPv6, where nobody but the sender cuts a packet: false while its sender, or who has put it together, may do so. */
  readonly df: boolean;
  /** Bytes of the whole IP packet, headers included. */
  readonly length: number;
  /** The header behind the IP header. In a later fragment (offset > 0) its ports are not on the wire. */
  readonly l4: L4Header;
  readonly fragment?: Fragment;
}

/** Ports of TCP, UDP and SCTP packets; null for other protocols. */
export function portsOf(packet: Packet): { readonly sport: number; readonly dport: number } | null {
  const l4 = packet.l4;
  return l4.protocol === 'tcp' || l4.protocol === 'udp' || l4.protocol === 'sctp' ? l4 : null;
}

/** True for a fragment that does not carry the L4 header. */
export function isLaterFragment(packet: Packet): boolean {
  return packet.fragment !== undefined && packet.fragment.offset > 0;
}
