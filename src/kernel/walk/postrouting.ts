import { isIpv4 } from '../../net/ip.ts';
import { runHook } from '../netfilter/run-hook.ts';
import { mtuOf } from '../routing/mtu.ts';
import { fragment } from './fragment.ts';
import { sendIcmpError, TOO_BIG } from './icmp-error.ts';
import { sendToNeighbour } from './neighbour.ts';
import { cloneSkb } from './skb.ts';
import type { Dropped } from '../netfilter/run-hook.ts';
import type { Host } from '../host.ts';
import type { SendableRoute } from '../routing/mtu.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** ip_output, ip_finish_output, ip6_finish_output: POSTROUTING, fragments where the packet is too large, and off to the next hop. A drop in POSTROUTING is told. */
export function ipOutput(walk: Walk, host: Host, skb: Skb, route: SendableRoute): Dropped | null {
  const call = { walk, host, hook: 'POSTROUTING', skb, inDevice: skb.device, outDevice: route.device } as const;
  const verdict = runHook(call);
  if (verdict !== 'accept') return verdict === 'stolen' ? null : verdict;
  const mtu = mtuOf(host, route);
  const limit = skb.fragmentSize ? Math.min(mtu, skb.fragmentSize) : mtu;
  if (skb.packet.length <= mtu && !skb.fragmentSize) {
    sendToNeighbour(walk, host, skb, route);
    return null;
  }
  if (!mayCut(skb, mtu)) {
    sendIcmpError(walk, host, skb, TOO_BIG, mtu);
    walk.drop(skb, host, 'PKT_TOO_BIG', isIpv4(skb.packet.dst) ? 'ip_fragment' : 'ip6_fragment', {
      device: route.device,
      detail: { mtu: String(mtu) },
    });
    return null;
  }
  for (const packet of fragment(skb.packet, limit)) {
    const piece = cloneSkb(skb);
    piece.packet = packet;
    piece.fragmentSize = 0;
    sendToNeighbour(walk, host, piece, route);
  }
  return null;
}

/** ip_fragment, ip6_fragment: IPv6 cuts only for a sender of this host, or what it has put together itself, into no larger pieces than before. */
function mayCut({ packet, fragmentSize }: Skb, mtu: number): boolean {
  return !packet.df && (isIpv4(packet.dst) || fragmentSize <= mtu);
}
