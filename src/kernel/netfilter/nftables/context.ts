import type { NatAction } from '../iptables/context.ts';
import type { RejectWith } from '../iptables/target/target.ts';
import type { RuleVerdict } from '../../../trace/event.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { NftPacket } from './selector.ts';
import type { NftRule, NftTable } from './ruleset.ts';

/** What the rules of a table see of a packet at a hook, and how they change it and what they keep. */
export interface NftContext extends NftPacket {
  mark: number;
  readonly table: NftTable;
  readonly family: 4 | 6;
  /** Milliseconds since the simulation began. */
  readonly now: number;
  /** One of `count` equally likely numbers, as one of the walk's choices. */
  draw(count: number, what: string): number;
  /** The next number of a counter that is kept in this namespace, from 0 on. */
  count(key: string): number;
  /** Keys that rules have put into a set, with the time at which each expires (null: never). */
  addedTo(set: string): Map<string, number | null>;
  setConnectionMark(mark: number): void;
  notrack(): void;
  /** Hands the connection to the NAT core; 'drop' where it refuses. */
  nat(action: NatAction): 'accept' | 'drop';
  /** Told of every rule that matched, when its statements have run. */
  record(event: NftRuleRecord): void;
  recordPolicyDrop(chain: string, passedOver: number): void;
  /** Told how many rules at the end of a chain were looked at and passed over. */
  passed?(rules: number): void;
  /** Told of every rule that can't be evaluated; it is passed over. */
  unknownRule(rule: NftRule, chain: string, number: number): void;
}

/** A rule that matched. */
export interface NftRuleRecord {
  readonly chain: string;
  /** 1-based. */
  readonly number: number;
  readonly rule: NftRule;
  readonly verdict: RuleVerdict;
  /** The chain that is entered; null for other verdicts. */
  readonly target: string | null;
  readonly passedOver: number;
  /** Of the map's element that decided, else of the rule. */
  readonly origin: Origin | undefined;
}

/** How the evaluation of a base chain ends. */
export type NftResult =
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject'; readonly with: RejectWith };
