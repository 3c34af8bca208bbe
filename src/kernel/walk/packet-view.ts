import { formatIp } from '../../net/ip.ts';
import { isLaterFragment, TCP_FLAG } from '../../net/packet.ts';
import { chunkName } from '../../net/sctp.ts';
import type { PacketView } from '../../trace/event.ts';
import type { Skb } from './skb.ts';

/** A packet as events show it. */
export function packetView({ packet, mark }: Skb): PacketView {
  const { src, dst, ttl, df, length, l4, fragment } = packet;
  const base = { src: formatIp(src), dst: formatIp(dst), ttl, df, length, ...(mark !== 0 && { mark }) };
  const piece = fragment ? { fragment: { more: fragment.more, offset: fragment.offset } } : {};
  if (l4.protocol === 'other') return { protocol: String(l4.number), ...base, ...piece };
  if (isLaterFragment(packet)) return { protocol: l4.protocol, ...base, ...piece };
  switch (l4.protocol) {
    case 'tcp':
      return { protocol: 'tcp', sport: l4.sport, dport: l4.dport, flags: flagText(l4.flags), ...base, ...piece };
    case 'udp': {
      const vni = l4.encapsulated ? { vni: l4.encapsulated.vni } : {};
      return { protocol: 'udp', sport: l4.sport, dport: l4.dport, ...base, ...piece, ...vni };
    }
    case 'sctp':
      return { protocol: 'sctp', sport: l4.sport, dport: l4.dport, chunk: chunkName(l4.chunk), ...base, ...piece };
    case 'icmp':
    case 'icmpv6': {
      const icmp = {
        type: l4.type,
        code: l4.code,
        ...(l4.embedded ? {} : { id: l4.id }),
        ...(l4.mtu !== undefined && { mtu: l4.mtu }),
      };
      return { protocol: l4.protocol, ...base, ...piece, icmp };
    }
  }
}

/** "SYN,ACK" */
export function flagText(flags: number): string {
  const names = (['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG'] as const).filter((name) => flags & TCP_FLAG[name]);
  return names.join(',');
}
