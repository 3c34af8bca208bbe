import { reassemble } from '../netfilter/defragment.ts';
import { runHook } from '../netfilter/run-hook.ts';
import { deliver } from '../socket/deliver.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** ip_local_deliver: whole datagrams pass INPUT and go up to their protocol. */
export function localIn(walk: Walk, host: Host, skb: Skb): void {
  if (skb.packet.fragment) {
    const whole = reassemble(walk.state.host(host.name), skb.packet);
    if (!whole) return;
    skb.packet = whole.packet;
  }
  const call = { walk, host, hook: 'INPUT', skb, inDevice: skb.device, outDevice: null } as const;
  if (runHook(call) === 'accept') deliver(walk, host, skb);
}
