import type { Packet } from '../../net/packet.ts';

const IP_HEADER = 20;

/** ip_do_fragment: pieces of at most `mtu` bytes, offsets in units of eight. A packet that fits is returned as it is. */
export function fragment(packet: Packet, mtu: number): readonly Packet[] {
  if (packet.length <= mtu) return [packet];
  const data = packet.length - IP_HEADER;
  const step = Math.max(8, (mtu - IP_HEADER) & ~7);
  const base = packet.fragment ?? { id: identification(packet), offset: 0, more: false };
  const pieces: Packet[] = [];
  for (let offset = 0; offset < data; offset += step) {
    const size = Math.min(step, data - offset);
    const more = offset + size < data || base.more;
    pieces.push({ ...packet, length: size + IP_HEADER, fragment: { id: base.id, offset: base.offset + offset, more } });
  }
  return pieces;
}

/** An IP identification: any number that two datagrams on their way at once don't share. */
function identification({ length, l4 }: Packet): number {
  const ports = 'sport' in l4 ? l4.sport * 31 + l4.dport : 0;
  return (length * 7 + ports) & 0xffff;
}
