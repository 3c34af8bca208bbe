import type { HookName } from '../../trace/event.ts';
import type { Origin } from '../../trace/origin.ts';
import type { Host } from '../host.ts';
import type { RejectWith } from './iptables/target/target.ts';
import type { Skb } from '../walk/skb.ts';
import type { Walk } from '../walk/walk.ts';

/** What a hook function is called with (struct nf_hook_state). */
export interface HookCall {
  readonly walk: Walk;
  readonly host: Host;
  readonly hook: HookName;
  readonly skb: Skb;
  /** null where the hook has none: local output, and br_netfilter's POSTROUTING. */
  readonly inDevice: string | null;
  readonly outDevice: string | null;
}

/** `errno`: what a local sender's call fails with (NF_DROP_ERR); EPERM where it is left out. 'stolen': the function keeps the packet (a fragment that waits for the others). */
export type HookVerdict =
  | { readonly kind: 'accept' }
  | { readonly kind: 'stolen' }
  | {
      readonly kind: 'drop';
      readonly reason: string;
      readonly where: string;
      readonly errno?: string;
      /** Of what decided it. */
      readonly origin?: Origin;
      readonly detail?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'reject'; readonly with: RejectWith };

export const ACCEPT: HookVerdict = { kind: 'accept' };

/** enum nf_ip_hook_priorities: the order in which functions of one hook run. */
export const PRIORITY = {
  DEFRAG: -400,
  RAW: -300,
  CONNTRACK: -200,
  MANGLE: -150,
  NAT_DST: -100,
  FILTER: 0,
  SECURITY: 50,
  NAT_SRC: 100,
  CONFIRM: 2147483647,
} as const;

export interface HookFunction {
  readonly hook: HookName;
  readonly priority: number;
  readonly name: string;
  readonly run: (call: HookCall) => HookVerdict;
}
