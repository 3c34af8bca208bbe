import { sendIcmpError, TIME_EXCEEDED, TOO_BIG, UNREACHABLE } from '../../walk/icmp-error.ts';
import { emitRoute } from '../../walk/route-event.ts';
import { isLoopback, routeOutput } from '../../routing/output.ts';
import { isIcmpError } from '../conntrack/related.ts';
import { ACCEPT } from '../hook.ts';
import { emitRewrite } from '../nat/event.ts';
import { tellConntrack } from './packet.ts';
import type { Packet } from '../../../net/packet.ts';
import type { NatEvent } from '../../../trace/event.ts';
import type { IpvsConnection } from '../../ipvs/connection-table.ts';
import type { ResolvedRoute } from '../../routing/resolved-route.ts';
import type { HookCall, HookVerdict } from '../hook.ts';

/**
 * ip_vs_nat_xmit, ip_vs_icmp_xmit: the packet goes to the real server as `rewritten`. To one on this host it goes on through the hook;
 * else it leaves the hook and is sent like a packet of the host itself, through OUTPUT and POSTROUTING (ip_vs_nat_send_or_cont).
 */
export function natTransmit(
  call: HookCall,
  connection: IpvsConnection,
  rewritten: Packet,
  more: Pick<NatEvent, 'origin' | 'ipvs'>,
): HookVerdict {
  const { walk, host, skb, hook } = call;
  const before = skb.packet;
  const { address } = connection.real;
  const flow = { dst: address, src: null, iif: 'lo', oif: null, mark: 0, tos: 0, protocol: '', sport: 0, dport: 0 };
  const route = routeOutput(host, flow, walk.choices);
  const problem = obstacle(call, route);
  if (problem !== null) return lost(call, problem.reason, connection);
  const isLocal = route.kind === 'local';
  // From the world to the loopback address?
  if (isLocal && isLoopback(address) && hook === 'INPUT') return lost(call, 'NOT_SPECIFIED', connection);
  skb.packet = isLocal ? rewritten : { ...rewritten, ttl: rewritten.ttl - 1 };
  emitRewrite(call, before, 'dst', false, more);
  tellConntrack(skb, connection, 'in');
  if (isLocal) return ACCEPT;
  // Where conntrack is in it, NAT asks once more in OUTPUT, with source and mark: that look-up is the one that counts.
  if (!skb.conntrack) emitRoute(walk, host, skb, route, 'output');
  skb.route = route;
  walk.push({ kind: 'output', host: host.name, skb });
  return { kind: 'stolen' };
}

/** __ip_vs_get_out_rt: why the packet can't go by a route; its sender has been told. */
function obstacle({ walk, host, skb }: HookCall, route: ResolvedRoute): { readonly reason: string } | null {
  const { packet } = skb;
  if (route.kind === 'error') {
    sendIcmpError(walk, host, skb, UNREACHABLE.HOST);
    return { reason: 'IP_OUTNOROUTES' };
  }
  if (route.kind === 'local') return null;
  if (isLoopback(packet.src)) return { reason: 'NOT_SPECIFIED' };
  if (packet.ttl <= 1) {
    sendIcmpError(walk, host, skb, TIME_EXCEEDED);
    return { reason: 'IP_INHDR' };
  }
  const mtu = route.route.mtu ?? host.devices.get(route.device)?.mtu ?? 65536;
  if (packet.df && packet.length > mtu && !isIcmpError(packet)) {
    sendIcmpError(walk, host, skb, TOO_BIG, mtu);
    return { reason: 'PKT_TOO_BIG' };
  }
  return null;
}

/** kfree_skb and NF_STOLEN: a local sender does not learn of it. */
function lost({ walk, host, skb, hook }: HookCall, reason: string, { server }: IpvsConnection): HookVerdict {
  walk.drop(skb, host, reason, 'ip_vs_nat_xmit', { hook, ...(server.origin && { origin: server.origin }) });
  return { kind: 'stolen' };
}
