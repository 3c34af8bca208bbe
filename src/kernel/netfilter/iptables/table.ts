import type { Packet } from '../../../net/packet.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { HookName } from '../../../trace/event.ts';
import type { Match } from './match/match.ts';
import type { Target } from './target/target.ts';

export type TableName = 'raw' | 'mangle' | 'nat' | 'filter' | 'security';
export const TABLE_NAMES: readonly TableName[] = ['raw', 'mangle', 'nat', 'filter', 'security'];

/** One rule, compiled. */
export interface Rule {
  /** Behind "-A CHAIN ", as iptables-save prints it ("-s 10.0.0.0/8 -j DROP"); '' for a rule that matches all and does nothing. */
  readonly body: string;
  /** All must hold, in order. -s, -d, -i, -o, -p, -f come first. */
  readonly matches: readonly Match[];
  readonly target: Target;
  readonly origin?: Origin;
  /** Where a dump or a scenario has it. */
  readonly source?: { readonly file: string; readonly line: number };
}

/**
 * A chain whose rules are compiled when first looked at. `candidates`, where present, gives the 0-based numbers of the rules that
 * could match a packet by destination, protocol and port, in order (others surely don't): an index over a large chain.
 */
export interface Chain {
  readonly name: string;
  /** null for a user chain. */
  readonly policy: 'ACCEPT' | 'DROP' | null;
  readonly length: number;
  rule(index: number): Rule;
  /** The rule's body text without compiling it. */
  body(index: number): string;
  candidates?(packet: Packet): readonly number[] | null;
}

export interface Table {
  readonly name: TableName;
  /** undefined: no such chain; a base chain exists only once something made it. */
  chain(name: string): Chain | undefined;
  /** Base chains in hook order, then user chains sorted by name, as iptables-save lists them. */
  chainNames(): Iterable<string>;
  /** {@link visitChains} of a table that can do it cheaper than by looking all chains up by name. */
  visitChains?(visit: ChainVisitor): void;
}

/** Takes a chain's name and the bodies of its rules. */
export type ChainVisitor = (name: string, bodies: readonly string[]) => void;

/** The tables that exist. */
export type IptablesTables = ReadonlyMap<TableName, Table>;

/** Which base chains a table can have (netfilter hooks it registers at). */
export const TABLE_HOOKS: Readonly<Record<TableName, readonly HookName[]>> = {
  raw: ['PREROUTING', 'OUTPUT'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  security: ['INPUT', 'FORWARD', 'OUTPUT'],
};
