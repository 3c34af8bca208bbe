import type { Packet } from '../../../net/packet.ts';
import type { Tuple } from '../conntrack/tuple.ts';

/** enum nf_nat_manip_type: which side of a packet is rewritten. */
export type Manip = 'src' | 'dst';

/** nf_nat_manip_pkt: writes one side of the tuple into the packet. ICMP queries carry their id on both sides. */
export function manipulate(packet: Packet, to: Tuple, manip: Manip): Packet {
  const { l4 } = packet;
  const ip = manip === 'src' ? { src: to.src } : { dst: to.dst };
  switch (l4.protocol) {
    case 'tcp':
      return { ...packet, ...ip, l4: { ...l4, ...(manip === 'src' ? { sport: to.sport } : { dport: to.dport }) } };
    case 'udp':
      return { ...packet, ...ip, l4: { ...l4, ...(manip === 'src' ? { sport: to.sport } : { dport: to.dport }) } };
    case 'sctp':
      return { ...packet, ...ip, l4: { ...l4, ...(manip === 'src' ? { sport: to.sport } : { dport: to.dport }) } };
    case 'icmp':
    case 'icmpv6':
      // An error keeps its header; only queries are told apart by an id (icmp_manip_pkt).
      return l4.embedded ? { ...packet, ...ip } : { ...packet, ...ip, l4: { ...l4, id: to.sport } };
    case 'other':
      return { ...packet, ...ip };
  }
}
