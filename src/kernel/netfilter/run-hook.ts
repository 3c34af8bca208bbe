import { familyOf } from '../../net/ip.ts';
import { reject } from '../walk/reject.ts';
import { hookFunctions } from './registry.ts';
import type { HookCall } from './hook.ts';

/** A packet that a hook dropped: what its local sender's call fails with. */
export interface Dropped {
  readonly errno: string;
}

/**
 * nf_hook_slow: runs what is registered at a hook in order of priority. Dropped: the packet is gone (the drop is recorded, a REJECT has
 * been answered); 'stolen': somebody keeps it.
 */
export function runHook(call: HookCall): 'accept' | 'stolen' | Dropped {
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
        return { errno: 'EPERM' };
      case 'drop':
        walk.drop(skb, host, verdict.reason, verdict.where, {
          hook: call.hook,
          ...(verdict.detail && { detail: verdict.detail }),
          ...(verdict.origin && { origin: verdict.origin }),
        });
        return { errno: verdict.errno ?? 'EPERM' };
    }
  }
  return 'accept';
}
