import { isIpv4 } from '../../net/ip.ts';
import { runHook } from '../netfilter/run-hook.ts';
import { isForwarding } from '../routing/input.ts';
import { isLoopback } from '../routing/output.ts';
import { sendIcmpError, TIME_EXCEEDED, TOO_BIG } from './icmp-error.ts';
import { deviceMtu, mtuOf } from '../routing/mtu.ts';
import { ipOutput } from './postrouting.ts';
import type { Host } from '../host.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

type UnicastRoute = Exclude<ResolvedRoute, { kind: 'error' }>;

/** ip_forward, ip6_forward: TTL and MTU are looked at before FORWARD, which sees the TTL already decremented. */
export function forward(walk: Walk, host: Host, skb: Skb, route: UnicastRoute): void {
  const mayGo = isIpv4(skb.packet.dst) ? mayForward4(walk, host, skb, route) : mayForward6(walk, host, skb, route);
  if (!mayGo) return;
  skb.packet = { ...skb.packet, ttl: skb.packet.ttl - 1 };
  const call = { walk, host, hook: 'FORWARD', skb, inDevice: skb.device, outDevice: route.device } as const;
  if (runHook(call) !== 'accept') return;
  // IPVS may have routed an answer again.
  const last = skb.route;
  ipOutput(walk, host, skb, last && last.kind !== 'error' ? last : route);
}

function mayForward4(walk: Walk, host: Host, skb: Skb, route: UnicastRoute): boolean {
  if (skb.packetType !== 'host') {
    walk.drop(skb, host, 'OTHERHOST', 'ip_forward');
    return false;
  }
  if (skb.packet.ttl <= 1) {
    sendIcmpError(walk, host, skb, TIME_EXCEEDED);
    walk.drop(skb, host, 'IP_INHDR', 'ip_forward');
    return false;
  }
  const mtu = mtuOf(host, route);
  if (skb.packet.length > mtu && skb.packet.df && !skb.fragmentSize) {
    sendIcmpError(walk, host, skb, TOO_BIG, mtu);
    walk.drop(skb, host, 'PKT_TOO_BIG', 'ip_forward', { device: route.device, detail: { mtu: String(mtu) } });
    return false;
  }
  return true;
}

/**
 * A host that does not forward finds that out here, behind the routing decision. No router cuts a packet, but what conntrack has put
 * together goes on if its fragments fit. An MTU of the route counts only where it is locked (ip6_dst_mtu_maybe_forward).
 */
function mayForward6(walk: Walk, host: Host, skb: Skb, route: UnicastRoute): boolean {
  const { packet, packetType, fragmentSize, device } = skb;
  if (!isForwarding(host, packet, device ?? '') || isLoopback(packet.src) || packet.src === 0n) {
    walk.drop(skb, host, 'IP_INADDRERRORS', 'ip6_forward');
    return false;
  }
  if (packetType !== 'host') {
    walk.drop(skb, host, 'OTHERHOST', 'ip6_forward');
    return false;
  }
  if (packet.ttl <= 1) {
    sendIcmpError(walk, host, skb, TIME_EXCEEDED);
    walk.drop(skb, host, 'IP_INHDR', 'ip6_forward');
    return false;
  }
  const mtu = Math.max(MIN_MTU_6, route.route.mtuLocked ? mtuOf(host, route) : deviceMtu(host, route));
  if (packet.length > mtu && (packet.df || fragmentSize > mtu)) {
    sendIcmpError(walk, host, skb, TOO_BIG, mtu);
    walk.drop(skb, host, 'PKT_TOO_BIG', 'ip6_forward', { device: route.device, detail: { mtu: String(mtu) } });
    return false;
  }
  return true;
}

/** IPV6_MIN_MTU (RFC 8200 5). */
const MIN_MTU_6 = 1280;
