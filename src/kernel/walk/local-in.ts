import { isIpv4 } from '../../net/ip.ts';
import { reassemble } from '../netfilter/defragment.ts';
import { runHook } from '../netfilter/run-hook.ts';
import { deliver } from '../socket/deliver.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/**
 * ip_local_deliver: whole datagrams pass INPUT and go up to their protocol. ip6_input: fragments pass INPUT one by one, and are put
 * together on the way up.
 */
export function localIn(walk: Walk, host: Host, skb: Skb): void {
  const isV4 = isIpv4(skb.packet.dst);
  if (isV4 && !isWhole(walk, host, skb)) return;
  const call = { walk, host, hook: 'INPUT', skb, inDevice: skb.device, outDevice: null } as const;
  if (runHook(call) !== 'accept') return;
  if (isV4 || isWhole(walk, host, skb)) deliver(walk, host, skb);
}

/** Is the packet a whole one, be it by the last of its fragments? */
function isWhole(walk: Walk, host: Host, skb: Skb): boolean {
  if (!skb.packet.fragment) return true;
  const whole = reassemble(walk.state.host(host.name), skb.packet);
  if (whole) skb.packet = whole.packet;
  return whole !== null;
}
