import type { HostMask } from './host-mask.ts';
import type { BaseOptions } from './match/base.ts';
import type { MatchModule } from './match/module.ts';
import type { GivenOption, RuleError } from './option.ts';
import type { TargetModule } from './target/module.ts';

/** A match or target with the options given to it. `words` are all its words, for printing what is not understood. */
export interface Extension<M> {
  readonly name: string;
  readonly module: M | null;
  readonly given: Map<string, GivenOption>;
  readonly words: string[];
  /** Why it can't be understood; null when it can. */
  fault: RuleError | null;
}

export interface TargetPart extends Extension<TargetModule> {
  readonly option: '-j' | '-g';
}

/** A rule as read: every option at its place, nothing compiled yet. */
export interface RuleParts {
  readonly base: Omit<BaseOptions, 'source' | 'destination'>;
  /** -s and -d take several addresses with commas between them, each of which makes a rule of its own. */
  readonly sources: AddressPart | null;
  readonly destinations: AddressPart | null;
  readonly extensions: readonly Extension<MatchModule>[];
  readonly target: TargetPart | null;
}

/** -s or -d. */
export interface AddressPart {
  readonly hosts: readonly HostMask[];
  readonly negated: boolean;
}

/**
 * How to read a rule. 'dump': what can't be understood makes its match or target unknown. 'command': it throws RuleError, as
 * iptables would refuse it, and options of one protocol module given in two places come together.
 */
export type ReadMode = 'dump' | 'command';

/** The words behind an option that is not a rule's own ("-A", "-t"), as its reader takes them. */
export interface WordSource {
  /** The next word, joined to the option ("-tnat") or behind it; throws RuleError when there is none. */
  argument(): string;
  /** The next word unless it begins another option ("-I CHAIN [NUMBER]"). */
  optional(): string | null;
}

/** Takes an option of the command line that is no part of the rule; false when it knows none of that name. */
export type CommandOption = (option: string, words: WordSource) => boolean;
