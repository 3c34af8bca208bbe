import { runHook } from '../netfilter/run-hook.ts';
import { sendIcmpError, TIME_EXCEEDED } from './icmp-error.ts';
import { ipOutput, mtuOf } from './postrouting.ts';
import type { Host } from '../host.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

type UnicastRoute = Exclude<ResolvedRoute, { kind: 'error' }>;

/** ip_forward: TTL and MTU are looked at before FORWARD, which sees the TTL already decremented. */
export function forward(walk: Walk, host: Host, skb: Skb, route: UnicastRoute): void {
  if (skb.packetType !== 'host') {
    walk.drop(skb, host, 'OTHERHOST', 'ip_forward');
    return;
  }
  if (skb.packet.ttl <= 1) {
    sendIcmpError(walk, host, skb, TIME_EXCEEDED);
    walk.drop(skb, host, 'IP_INHDR', 'ip_forward');
    return;
  }
  const mtu = mtuOf(host, route);
  if (skb.packet.length > mtu && skb.packet.df && !skb.fragmentSize) {
    sendIcmpError(walk, host, skb, { type: 3, code: 4, mtu });
    walk.drop(skb, host, 'PKT_TOO_BIG', 'ip_forward', { device: route.device, detail: { mtu: String(mtu) } });
    return;
  }
  skb.packet = { ...skb.packet, ttl: skb.packet.ttl - 1 };
  const call = { walk, host, hook: 'FORWARD', skb, inDevice: skb.device, outDevice: route.device } as const;
  if (runHook(call) === 'accept') ipOutput(walk, host, skb, route);
}
