import { isIpv4 } from '../../net/ip.ts';
import { runHook } from '../netfilter/run-hook.ts';
import { routeInput } from '../routing/input.ts';
import { forward } from './forward.ts';
import { sendIcmpError, UNREACHABLE } from './icmp-error.ts';
import { localIn } from './local-in.ts';
import { emitRoute } from './route-event.ts';
import { isForwarding } from '../routing/input.ts';
import { isLoopback } from '../routing/output.ts';
import type { Device } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { RouteError } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** ip_rcv, ipv6_rcv and what finishes them: PREROUTING, then the routing decision. */
export function ipReceive(walk: Walk, host: Host, device: Device, skb: Skb): void {
  if (skb.packetType === 'otherhost') {
    walk.drop(skb, host, 'OTHERHOST', 'ip_rcv_core', { device: device.name });
    return;
  }
  skb.device = device.name;
  // ip_rcv_core empties the control block: how large the fragments were that a bridge's hooks put together is forgotten.
  skb.fragmentSize = 0;
  if (!isIpv4(skb.packet.dst) && device.kind !== 'loopback' && (isLoopback(skb.packet.src) || isLoopback(skb.packet.dst))) {
    walk.drop(skb, host, 'IP_INHDR', 'ip6_rcv_core', { device: device.name });
    return;
  }
  // What br_netfilter has run for a bridge port does not run again for the bridge (ip_sabotage_in).
  if (!skb.bridge?.preroutingDone) {
    const call = { walk, host, hook: 'PREROUTING', skb, inDevice: device.name, outDevice: null } as const;
    if (runHook(call) !== 'accept') return;
  }
  if (!skb.route) {
    const route = routeInput(host, skb.packet, device.name, skb.mark, walk.choices);
    if (route.kind === 'martian') {
      walk.drop(skb, host, route.reason, 'ip_rcv_finish_core', { device: device.name });
      return;
    }
    emitRoute(walk, host, skb, route, 'input');
    skb.route = route;
  }
  const { route } = skb;
  switch (route.kind) {
    case 'local':
    case 'broadcast':
      localIn(walk, host, skb);
      return;
    case 'unicast':
      forward(walk, host, skb, route);
      return;
    case 'error':
      if (isIpv4(skb.packet.dst)) routeError(walk, host, skb, route.error);
      else routeError6(walk, host, skb, route.error);
  }
}

/** ip_error: a host that forwards says why it can't; one that doesn't is silent. */
function routeError(walk: Walk, host: Host, skb: Skb, error: RouteError): void {
  if (!isForwarding(host, skb.packet, skb.device ?? '')) {
    walk.drop(skb, host, 'IP_INADDRERRORS', 'ip_error');
    return;
  }
  switch (error) {
    case 'ENETUNREACH':
      sendIcmpError(walk, host, skb, UNREACHABLE.NET);
      walk.drop(skb, host, 'IP_INNOROUTES', 'ip_error');
      return;
    case 'EHOSTUNREACH':
      sendIcmpError(walk, host, skb, UNREACHABLE.HOST);
      break;
    case 'EACCES':
      sendIcmpError(walk, host, skb, UNREACHABLE.ADMIN);
      break;
    case 'EINVAL':
      break;
  }
  walk.drop(skb, host, 'NOT_SPECIFIED', 'ip_error');
}

/** ip6_pkt_discard, ip6_pkt_prohibit, dst_discard: said by every host, whether it forwards or not. */
function routeError6(walk: Walk, host: Host, skb: Skb, error: RouteError): void {
  switch (error) {
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      sendIcmpError(walk, host, skb, UNREACHABLE.NET);
      walk.drop(skb, host, 'IP_INNOROUTES', 'ip6_pkt_discard');
      return;
    case 'EACCES':
      sendIcmpError(walk, host, skb, UNREACHABLE.ADMIN);
      walk.drop(skb, host, 'IP_INNOROUTES', 'ip6_pkt_prohibit');
      return;
    case 'EINVAL':
      walk.drop(skb, host, 'NOT_SPECIFIED', 'dst_discard');
  }
}
