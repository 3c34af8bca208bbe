import type { GivenOptions, OptionSpec } from '../option.ts';
import type { HookName } from '../../../../trace/event.ts';
import type { TableName } from '../table.ts';
import type { RuleScope } from '../match/module.ts';
import type { TargetAction } from './target.ts';

export interface BuiltTarget {
  /** The options as iptables-save prints them; '' when it prints none. */
  readonly text: string;
  readonly action: TargetAction;
  /** Hooks whose base chains may hold a rule with these options (checked by the kernel for base chains only); any when left out. */
  readonly baseHooks?: readonly HookName[];
}

/** An iptables target: its options, what they do, and where the kernel lets it stand. */
export interface TargetModule {
  /** Behind -j. */
  readonly name: string;
  readonly options: readonly OptionSpec[];
  /** Tables it may stand in (struct xt_target .table); any when left out. */
  readonly tables?: readonly TableName[];
  /** Hooks from which it may be reached (struct xt_target .hooks); any when left out. */
  readonly hooks?: readonly HookName[];
  /** Throws RuleError for options that iptables refuses. */
  build(given: GivenOptions, scope: RuleScope): BuiltTarget;
}
