import { coversAll } from './host-mask.ts';
import { baseMatches } from './match/base.ts';
import { invalidArgument, RuleError } from './option.ts';
import { readRule } from './rule-reader.ts';
import { joinRuleWords } from './words.ts';
import type { HookName } from '../../../trace/event.ts';
import type { BaseOptions } from './match/base.ts';
import type { Match } from './match/match.ts';
import type { MatchModule, RuleScope } from './match/module.ts';
import type { OptionSpec } from './option.ts';
import type { Extension, ReadMode, RuleParts, TargetPart } from './rule-parts.ts';
import type { TableName } from './table.ts';
import type { Target, TargetAction } from './target/target.ts';

/** A rule's parts, compiled, still without its place in a chain. */
export interface RuleSpec {
  readonly matches: readonly Match[];
  readonly target: Target;
  /** As iptables-save prints it, built from the parts. */
  readonly body: string;
  readonly base: BaseOptions;
  /** Where the kernel lets it stand. */
  readonly limits: readonly RuleLimit[];
}

/** A module's own word on where a rule with it may stand; what is left out may be any. */
export interface RuleLimit {
  readonly tables?: readonly TableName[];
  /** Hooks from which the rule may be reached, through user chains too. */
  readonly hooks?: readonly HookName[];
  /** Hooks whose base chain may hold the rule itself. */
  readonly baseHooks?: readonly HookName[];
}

/** Reads and compiles a rule's words. Throws RuleError for what has no module to make unknown, in mode 'command' for any fault. */
export function parseRuleSpec(words: readonly string[], table: TableName, family: 4 | 6, mode: ReadMode): RuleSpec {
  return buildRuleSpecs(readRule(words, family, mode), table, family, mode)[0]!;
}

/** More rules of one line than anybody writes. */
const MAX_RULES = 4096;

/** Compiles a rule that was read; one for each pair of its addresses, sources first. */
export function buildRuleSpecs(parts: RuleParts, table: TableName, family: 4 | 6, mode: ReadMode): readonly RuleSpec[] {
  const { base, sources, destinations } = parts;
  if ((sources?.hosts.length ?? 1) * (destinations?.hosts.length ?? 1) > MAX_RULES) throw new RuleError('too many addresses');
  const each = (part: RuleParts['sources']) => part?.hosts.map((host) => ({ host, negated: part.negated })) ?? [null];
  return each(sources).flatMap((source) =>
    each(destinations).map((destination) =>
      buildRuleSpec(parts, { ...base, ...(source && { source }), ...(destination && { destination }) }, table, family, mode),
    ),
  );
}

function buildRuleSpec(parts: RuleParts, base: BaseOptions, table: TableName, family: 4 | 6, mode: ReadMode): RuleSpec {
  if (mode === 'command' && [base.source, base.destination].some((part) => part?.negated && coversAll(part.host)))
    throw invalidArgument();
  const scope: RuleScope = { family, table, protocol: base.protocol ?? { number: 0, negated: false } };
  const extensions = parts.extensions.map((extension) => buildMatch(extension, scope, mode));
  const matches = [...baseMatches(base), ...extensions.map(({ match }) => match)];
  const { target, limits } = buildTarget(parts.target, scope, mode);
  return {
    matches,
    target,
    base,
    limits: [...extensions.flatMap((extension) => extension.limits), ...limits],
    // Rules of a dump keep their own text: few need this one.
    get body() {
      return [...matches.map((match) => match.text), target.text].filter((text) => text !== '').join(' ');
    },
  };
}

function buildMatch(
  extension: Extension<MatchModule>,
  scope: RuleScope,
  mode: ReadMode,
): { readonly match: Match; readonly limits: readonly RuleLimit[] } {
  const { name, module } = extension;
  try {
    if (extension.fault || !module) throw extension.fault;
    checkRequired(name, module.options, extension);
    const { text, test, unknown, baseHooks } = module.build(extension.given, scope);
    const match: Match = {
      module: name,
      text: text === '' ? `-m ${name}` : `-m ${name} ${text}`,
      test,
      ...(unknown && { unknown }),
      ...(module.stateful && { stateful: true }),
    };
    return { match, limits: [module, ...(baseHooks ? [{ baseHooks }] : [])] };
  } catch (error) {
    if (!(error instanceof RuleError) || mode === 'command') throw error;
    return { match: { module: name, text: joinRuleWords(extension.words), test: () => 'unknown', unknown: true }, limits: [] };
  }
}

function buildTarget(
  part: TargetPart | null,
  scope: RuleScope,
  mode: ReadMode,
): { readonly target: Target; readonly limits: readonly RuleLimit[] } {
  if (!part) return { target: { text: '', action: { kind: 'none' } }, limits: [] };
  const { name, module, option } = part;
  try {
    if (part.fault) throw part.fault;
    if (!module) return { target: { text: `${option} ${name}`, action: jump(part) }, limits: [] };
    checkRequired(name, module.options, part);
    const { text, action, baseHooks } = module.build(part.given, scope);
    return {
      target: { text: text === '' ? `-j ${name}` : `-j ${name} ${text}`, action },
      limits: [module, ...(baseHooks ? [{ baseHooks }] : [])],
    };
  } catch (error) {
    if (!(error instanceof RuleError) || mode === 'command') throw error;
    return { target: { text: joinRuleWords(part.words), action: { kind: 'unknown', name } }, limits: [] };
  }
}

function jump({ option, name }: TargetPart): TargetAction {
  return { kind: option === '-j' ? 'jump' : 'goto', chain: name };
}

function checkRequired(name: string, options: readonly OptionSpec[], { given }: Extension<unknown>): void {
  const missing = options.find((option) => option.required && !given.has(option.name));
  if (missing) throw new RuleError(`${name}: option "--${missing.name}" must be specified`);
}
