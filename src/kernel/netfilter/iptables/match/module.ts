import type { HookName } from '../../../../trace/event.ts';
import type { GivenOptions, OptionSpec } from '../option.ts';
import type { TableName } from '../table.ts';
import type { MatchTest } from './match.ts';

/** What a module knows of the rule it stands in. */
export interface RuleScope {
  readonly family: 4 | 6;
  readonly table: TableName;
  /** -p, 0 without one. */
  readonly protocol: { readonly number: number; readonly negated: boolean };
}

export interface BuiltMatch {
  /** The options as iptables-save prints them; '' when it prints none. */
  readonly text: string;
  readonly test: MatchTest;
  readonly unknown?: true;
  /** Hooks whose base chains may hold a rule with these options (checked by the kernel for base chains only); any when left out. */
  readonly baseHooks?: readonly HookName[];
}

/** An iptables match: its options, and how they become a test. */
export interface MatchModule {
  /** Behind -m. */
  readonly name: string;
  readonly options: readonly OptionSpec[];
  /** Tables it may stand in (struct xt_match .table); any when left out. */
  readonly tables?: readonly TableName[];
  /** Hooks from which it may be reached (struct xt_match .hooks); any when left out. */
  readonly hooks?: readonly HookName[];
  /** See {@link Match.stateful}. */
  readonly stateful?: true;
  /** Throws RuleError for options that iptables refuses. */
  build(given: GivenOptions, scope: RuleScope): BuiltMatch;
}
