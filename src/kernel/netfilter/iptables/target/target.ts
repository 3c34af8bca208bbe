import type { NatRange } from '../../nat/range.ts';

export type RejectWith =
  | 'icmp-net-unreachable'
  | 'icmp-host-unreachable'
  | 'icmp-port-unreachable'
  | 'icmp-proto-unreachable'
  | 'icmp-net-prohibited'
  | 'icmp-host-prohibited'
  | 'icmp-admin-prohibited'
  | 'tcp-reset'
  | 'icmp6-no-route'
  | 'icmp6-adm-prohibited'
  | 'icmp6-addr-unreachable'
  | 'icmp6-port-unreachable'
  | 'icmp6-policy-fail';

/** What a rule does with a packet that matches: plain data, run by the traversal. */
export type TargetAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'return' }
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | { readonly kind: 'reject'; readonly with: RejectWith }
  /** mark = (mark & ~mask) ^ value */
  | { readonly kind: 'mark'; readonly value: number; readonly mask: number }
  /** ctmark = (ctmark & ~mask) ^ value */
  | { readonly kind: 'connmark-set'; readonly value: number; readonly mask: number }
  /** save: ctmark = (ctmark & ~ctmask) ^ (mark & nfmask); restore: mark = (mark & ~nfmask) ^ (ctmark & ctmask) */
  | { readonly kind: 'connmark-save' | 'connmark-restore'; readonly nfmask: number; readonly ctmask: number }
  | { readonly kind: 'notrack' }
  | { readonly kind: 'dnat' | 'snat'; readonly range: NatRange }
  | { readonly kind: 'masquerade'; readonly range: NatRange }
  | { readonly kind: 'redirect'; readonly range: NatRange }
  /** NETMAP: the prefix is replaced, host bits stay; DNAT in PREROUTING/OUTPUT, SNAT elsewhere. */
  | { readonly kind: 'netmap'; readonly to: import('../../../../net/cidr.ts').Cidr }
  | { readonly kind: 'ttl'; readonly op: 'set' | 'inc' | 'dec'; readonly value: number }
  /** tos = (tos & ~mask) ^ value */
  | { readonly kind: 'tos'; readonly value: number; readonly mask: number }
  | {
      readonly kind: 'set-add' | 'set-del';
      readonly set: string;
      readonly directions: readonly ('src' | 'dst')[];
      readonly exist: boolean;
    }
  | { readonly kind: 'log'; readonly prefix: string; readonly target: 'LOG' | 'NFLOG' | 'TRACE' | 'ULOG' | 'AUDIT' }
  /** Lowers the MSS of a SYN; null: to what the path there and back takes. */
  | { readonly kind: 'tcpmss'; readonly value: number | null }
  /** Changes nothing that decides a packet's way (CHECKSUM, CLASSIFY, CT --zone/--helper ...). */
  | { readonly kind: 'no-effect' }
  | { readonly kind: 'unknown'; readonly name: string };

export interface Target {
  /** As iptables-save prints it: "-j DNAT --to-destination 10.0.0.1:80"; '' for a rule without a target. */
  readonly text: string;
  readonly action: TargetAction;
}
