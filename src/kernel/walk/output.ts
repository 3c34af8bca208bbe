import { runHook } from '../netfilter/run-hook.ts';
import { ipOutput } from './postrouting.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** ip_local_out: OUTPUT sees the device of the first routing decision, POSTROUTING that of the last. What either drops fails the sender's call. */
export function localOut(walk: Walk, host: Host, skb: Skb): void {
  const first = skb.route;
  if (!first || first.kind === 'error') return;
  // IPVS sends on what it has taken over: its sender is told nothing any more (ip_vs_nat_send_or_cont).
  const tellsSender = skb.sentBySocket && !skb.outer && !skb.ipvs;
  const verdict = runHook({ walk, host, hook: 'OUTPUT', skb, inDevice: null, outDevice: first.device });
  if (verdict === 'stolen') return;
  const last = skb.route;
  const dropped = verdict !== 'accept' ? verdict : last && last.kind !== 'error' ? ipOutput(walk, host, skb, last) : null;
  if (dropped && tellsSender) walk.sockets?.fail(host, skb, dropped.errno);
}
