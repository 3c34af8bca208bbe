import { runHook } from '../netfilter/run-hook.ts';
import { fragment } from './fragment.ts';
import { sendIcmpError } from './icmp-error.ts';
import { sendToNeighbour } from './neighbour.ts';
import { cloneSkb } from './skb.ts';
import type { Host } from '../host.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

type SendableRoute = Exclude<ResolvedRoute, { kind: 'error' }>;

/** ip_output, ip_finish_output: POSTROUTING, fragments where the packet is too large, and off to the next hop. */
export function ipOutput(walk: Walk, host: Host, skb: Skb, route: SendableRoute): void {
  const call = { walk, host, hook: 'POSTROUTING', skb, inDevice: skb.device, outDevice: route.device } as const;
  if (runHook(call) !== 'accept') return;
  const mtu = mtuOf(host, route);
  const limit = skb.fragmentSize ? Math.min(mtu, skb.fragmentSize) : mtu;
  if (skb.packet.length <= mtu && !skb.fragmentSize) {
    sendToNeighbour(walk, host, skb, route);
    return;
  }
  if (skb.packet.df) {
    sendIcmpError(walk, host, skb, { type: 3, code: 4, mtu });
    walk.drop(skb, host, 'PKT_TOO_BIG', 'ip_fragment', { device: route.device, detail: { mtu: String(mtu) } });
    return;
  }
  for (const packet of fragment(skb.packet, limit)) {
    sendToNeighbour(walk, host, { ...cloneSkb(skb), packet, fragmentSize: 0 }, route);
  }
}

/** dst_mtu: the route's own MTU, else the device's. */
export function mtuOf(host: Host, route: SendableRoute): number {
  return route.route.mtu ?? host.devices.get(route.device)?.mtu ?? 65536;
}
