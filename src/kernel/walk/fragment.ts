import { ipHeaderLength, isIpv4 } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';

/** Bytes of IPv6's fragment header (RFC 8200 4.5). */
const FRAGMENT_HEADER = 8;

/** Bytes of headers that every fragment of a packet has. */
export function fragmentHeaders({ dst }: Packet): number {
  return ipHeaderLength(dst) + (isIpv4(dst) ? 0 : FRAGMENT_HEADER);
}

/**
 * ip_do_fragment, ip6_fragment: pieces of at most `mtu` bytes, all but the last in units of eight. A packet that fits is returned as it is. Pieces
 * of an IPv6 packet are not cut again by anybody.
 */
export function fragment(packet: Packet, mtu: number): readonly Packet[] {
  if (packet.length <= mtu) return [packet];
  const headers = fragmentHeaders(packet);
  const data = packet.length - (packet.fragment ? headers : ipHeaderLength(packet.dst));
  const room = Math.max(8, mtu - headers);
  const base = packet.fragment ?? { id: identification(packet), offset: 0, more: false };
  const df = isIpv4(packet.dst) ? packet.df : true;
  const pieces: Packet[] = [];
  for (let offset = 0; offset < data; ) {
    const left = data - offset;
    const size = left > room ? room & ~7 : left;
    const more = size < left || base.more;
    pieces.push({ ...packet, df, length: size + headers, fragment: { id: base.id, offset: base.offset + offset, more } });
    offset += size;
  }
  return pieces;
}

/** An IP identification: any number that two datagrams on their way at once don't share. */
function identification({ length, l4 }: Packet): number {
  const ports = 'sport' in l4 ? l4.sport * 31 + l4.dport : 0;
  return (length * 7 + ports) & 0xffff;
}
