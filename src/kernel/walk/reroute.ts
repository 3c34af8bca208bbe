import { transport } from '../routing/lookup.ts';
import { routeOutput } from '../routing/output.ts';
import { emitRoute } from './route-event.ts';
import type { HookCall } from '../netfilter/hook.ts';

/**
 * ip_route_me_harder: routes a local packet again after a hook changed what its route depends on. The source stays. False where no route
 * leads there: the packet is dropped inside the hook.
 */
export function rerouteLocal({ walk, host, skb }: HookCall): boolean {
  const { packet } = skb;
  const route = routeOutput(
    host,
    { ...transport(packet), dst: packet.dst, src: packet.src, iif: 'lo', oif: null, mark: skb.mark, tos: packet.tos & 0x1c },
    walk.choices,
  );
  emitRoute(walk, host, skb, route, 'reroute');
  if (route.kind === 'error') return false;
  skb.route = route;
  return true;
}
