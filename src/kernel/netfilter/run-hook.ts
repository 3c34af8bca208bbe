import { familyOf } from '../../net/ip.ts';
import { reject } from '../walk/reject.ts';
import { hookFunctions } from './registry.ts';
import type { HookCall } from './hook.ts';

/**
 * nf_hook_slow: runs what is registered at a hook in order of priority. 'drop': the packet is gone (the drop is recorded, a REJECT has
 * been answered); 'stolen': somebody keeps it.
 */
export function runHook(call: HookCall): 'accept' | 'drop' | 'stolen' {
  const { walk, host, skb } = call;
  for (const { run } of hookFunctions(host, familyOf(skb.packet.dst), call.hook)) {
    const verdict = run(call);
    switch (verdict.kind) {
      case 'accept':
        continue;
      case 'stolen':
        return 'stolen';
      case 'reject':
        reject(call, verdict.with);
        walk.drop(skb, host, 'NETFILTER_DROP', 'nft_do_chain', { hook: call.hook });
        return 'drop';
      case 'drop':
        walk.drop(skb, host, verdict.reason, verdict.where, { hook: call.hook });
        return 'drop';
    }
  }
  return 'accept';
}
