import type { Tuple } from './tuple.ts';

export type { Tuple };

/** What matches may know of a packet's conntrack entry. */
export type ConntrackView =
  | { readonly state: 'UNTRACKED' | 'INVALID' }
  | {
      readonly state: 'NEW' | 'ESTABLISHED' | 'RELATED';
      readonly direction: 'original' | 'reply';
      readonly original: Tuple;
      readonly reply: Tuple;
      readonly snat: boolean;
      readonly dnat: boolean;
      readonly seenReply: boolean;
      readonly assured: boolean;
      readonly confirmed: boolean;
      readonly expected: boolean;
      readonly mark: number;
      /** Milliseconds until it expires. */
      readonly expires: number;
    };
