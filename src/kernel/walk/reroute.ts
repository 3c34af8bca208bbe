import { outputFlow } from '../routing/lookup.ts';
import { routeOutput } from '../routing/output.ts';
import { emitRoute } from './route-event.ts';
import type { HookCall, HookVerdict } from '../netfilter/hook.ts';
import type { Packet } from '../../net/packet.ts';

/**
 * ip_route_me_harder: routes a local packet again after a hook changed what its route depends on. The source stays. Where no route leads
 * there the packet is dropped inside the hook, and its sender told why (NF_DROP_ERR).
 */
export function rerouted({ walk, host, skb }: HookCall): HookVerdict {
  const route = routeOutput(host, { ...outputFlow(skb.packet, skb.packet.src, skb.mark), anySource: true }, walk.choices);
  emitRoute(walk, host, skb, route, 'reroute');
  if (route.kind === 'error') return { kind: 'drop', reason: 'NETFILTER_DROP', where: 'nf_hook_slow', errno: route.error };
  skb.route = route;
  return { kind: 'accept' };
}

/** Runs chains of OUTPUT and routes again what they gave another mark, address or TOS (ipt_mangle_out, nf_route_table_hook4). */
export function withReroute(call: HookCall, run: () => HookVerdict): HookVerdict {
  const { skb } = call;
  const { mark, packet } = skb;
  const verdict = run();
  return verdict.kind === 'accept' && call.hook === 'OUTPUT' && isRoutedElse(packet, mark, call) ? rerouted(call) : verdict;
}

function isRoutedElse(before: Packet, mark: number, { skb }: HookCall): boolean {
  const { src, dst, tos } = skb.packet;
  return skb.mark !== mark || src !== before.src || dst !== before.dst || tos !== before.tos;
}
