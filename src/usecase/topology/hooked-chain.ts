import type { HookName } from '../../trace/event.ts';
import type { TopologyChain } from '../../trace/topology.ts';

/** A chain and the place where the kernel calls it. */
export interface HookedChain {
  readonly hook: HookName;
  /** Smaller ones run first (enum nf_ip_hook_priorities). */
  readonly priority: number;
  readonly chain: TopologyChain;
}
