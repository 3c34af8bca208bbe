import type { Origin } from './origin.ts';

/** A rule of one side of a comparison, or with nftables an element of a set or map. */
export interface ComparedRule {
  /** With nftables family and name: "ip kube-proxy". */
  readonly table: string;
  /** The chain, or an element's set or map. */
  readonly chain: string;
  /** 1-based, as `iptables -L --line-numbers` shows it. */
  readonly rule: number;
  /** As iptables-save prints it, behind "-A CHAIN "; as nft prints it, elements in braces. */
  readonly text: string;
  /** Whose it is and what for; absent when nobody knows. */
  readonly origin?: Origin;
  /** What it is for, in one sentence; null when nobody knows. */
  readonly purpose: string | null;
  readonly source?: { readonly file: string; readonly line: number };
}

/** A rule that stands on both sides in different words. */
export interface ChangedRule {
  readonly expected: ComparedRule;
  readonly actual: ComparedRule;
}

export interface ChangedPolicy {
  readonly table: string;
  readonly chain: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * How the rules of a real node (a dump) differ from those that its cluster asks for. What real kube-proxy orders at random, counters, and
 * empty chains and tables make no difference.
 */
export interface RulesDiff {
  readonly apiVersion: 'k8snet/v1';
  readonly kind: 'RulesDiff';
  readonly node: string;
  /** Whose words the rules are in. */
  readonly program: 'iptables' | 'nftables';
  /** null: both (nftables). */
  readonly family: 4 | 6 | null;
  /** True when there is nothing in any of the lists below except `foreign`. */
  readonly same: boolean;
  /** Expected, and not in the dump. */
  readonly missing: readonly ComparedRule[];
  /** In the dump, and not expected. */
  readonly extra: readonly ComparedRule[];
  readonly changed: readonly ChangedRule[];
  /** On both sides, but behind or in front of rules where it should not be. */
  readonly moved: readonly ChangedRule[];
  readonly policies: readonly ChangedPolicy[];
  /** Rules of the dump that somebody else made who is not compared (Docker, a firewall): named, not counted. */
  readonly foreign: readonly ComparedRule[];
}
