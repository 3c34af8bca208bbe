import { formatEndpoint, formatIp } from '../../../net/ip.ts';
import { isLaterFragment } from '../../../net/packet.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Packet } from '../../../net/packet.ts';

/**
 * One direction of a conntrack entry (struct nf_conntrack_tuple). For ICMP queries `sport` is the identifier and `dport` is
 * type * 256 + code; protocols without ports have zeroes.
 */
export interface Tuple {
  readonly protocol: string;
  readonly src: IpAddress;
  readonly dst: IpAddress;
  readonly sport: number;
  readonly dport: number;
}

/** Inverse of ICMP query types (nf_conntrack_proto_icmp.c invmap, and icmpv6's). */
const ICMP_INVERSE: ReadonlyMap<string, number> = new Map([
  ['icmp/8', 0],
  ['icmp/0', 8],
  ['icmp/13', 14],
  ['icmp/14', 13],
  ['icmp/17', 18],
  ['icmp/18', 17],
  ['icmpv6/128', 129],
  ['icmpv6/129', 128],
]);

/** The tuple of a packet (nf_ct_get_tuple); null where there is none: a later fragment, an ICMP type that is no query. */
export function tupleOf(packet: Packet): Tuple | null {
  if (isLaterFragment(packet)) return null;
  const { src, dst, l4 } = packet;
  switch (l4.protocol) {
    case 'tcp':
    case 'udp':
    case 'sctp':
      return { protocol: l4.protocol, src, dst, sport: l4.sport, dport: l4.dport };
    case 'icmp':
    case 'icmpv6':
      return { protocol: l4.protocol, src, dst, sport: l4.id, dport: l4.type * 256 + l4.code };
    case 'other':
      return { protocol: String(l4.number), src, dst, sport: 0, dport: 0 };
  }
}

/** The tuple of the other direction (nf_ct_invert_tuple); null for ICMP types without an inverse. */
export function invertTuple(tuple: Tuple): Tuple | null {
  const { protocol, src, dst, sport, dport } = tuple;
  if (protocol === 'icmp' || protocol === 'icmpv6') {
    const inverse = ICMP_INVERSE.get(`${protocol}/${dport >> 8}`);
    return inverse === undefined ? null : { protocol, src: dst, dst: src, sport, dport: inverse * 256 + (dport & 255) };
  }
  return { protocol, src: dst, dst: src, sport: dport, dport: sport };
}

export function sameTuple(a: Tuple, b: Tuple): boolean {
  return a.src === b.src && a.dst === b.dst && a.sport === b.sport && a.dport === b.dport && a.protocol === b.protocol;
}

/** First character of a key. */
const CODE_OF_PROTOCOL: Readonly<Record<string, number>> = { icmp: 1, tcp: 6, udp: 17, sctp: 132 };

/** Key of a tuple in a hash table: seven characters of 16 bits for most of IPv4, longer text for others. */
export function tupleKey({ protocol, src, dst, sport, dport }: Tuple): string {
  const code = CODE_OF_PROTOCOL[protocol];
  return code !== undefined && typeof src === 'number' && typeof dst === 'number'
    ? String.fromCharCode(code, src >>> 16, src & 0xffff, sport, dst >>> 16, dst & 0xffff, dport)
    : `${protocol} ${src} ${sport} ${dst} ${dport}`;
}

/** "tcp 10.244.0.2:40000 → 10.96.0.20:80" */
export function formatTuple({ protocol, src, dst, sport, dport }: Tuple): string {
  if (protocol === 'icmp' || protocol === 'icmpv6') return `${protocol} ${formatIp(src)} → ${formatIp(dst)} id ${sport}`;
  return sport || dport
    ? `${protocol} ${formatEndpoint(src, sport)} → ${formatEndpoint(dst, dport)}`
    : `${protocol} ${formatIp(src)} → ${formatIp(dst)}`;
}
