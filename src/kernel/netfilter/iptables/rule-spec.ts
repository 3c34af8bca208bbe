import { hostMaskOf } from './host-mask.ts';
import { baseMatches } from './match/base.ts';
import { MATCH_MODULES, protocolModule } from './match/index.ts';
import { RuleError } from './option.ts';
import { protocolNumber } from './protocol-names.ts';
import { isUnmodelledTarget, TARGET_MODULES } from './target/index.ts';
import { joinRuleWords } from './words.ts';
import type { BaseOptions } from './match/base.ts';
import type { Match } from './match/match.ts';
import type { MatchModule, RuleScope } from './match/module.ts';
import type { GivenOption, OptionSpec } from './option.ts';
import type { TableName } from './table.ts';
import type { TargetModule } from './target/module.ts';
import type { Target, TargetAction } from './target/target.ts';

/** A rule's parts, still without its place in a chain. */
export interface RuleSpec {
  readonly matches: readonly Match[];
  readonly target: Target;
  /** As iptables-save prints it, built from the parts. */
  readonly body: string;
  /** The module of the target; null for a jump, an unknown target or none. */
  readonly targetModule: TargetModule | null;
  readonly base: BaseOptions;
}

/**
 * How to read a rule. 'dump': what can't be understood makes its match or target unknown. 'command': it throws RuleError, as
 * iptables would refuse it, and options of one protocol module given in two places come together.
 */
export type ReadMode = 'dump' | 'command';

/** Reads a rule's words ("-p", "tcp", "--dport", "80", "-j", "ACCEPT"). */
export function parseRuleSpec(words: readonly string[], table: TableName, family: 4 | 6, mode: ReadMode): RuleSpec {
  const parts = new RuleReader(words, family, mode).read();
  const scope: RuleScope = { family, table, protocol: parts.base.protocol ?? { number: 0, negated: false } };
  const matches = [...baseMatches(parts.base), ...parts.extensions.map((extension) => buildMatch(extension, scope, mode))];
  const { target, module } = buildTarget(parts.target, scope, mode);
  const body = [...matches.map((match) => match.text), target.text].filter((text) => text !== '').join(' ');
  return { matches, target, body, targetModule: module, base: parts.base };
}

/** A match or target with the options given to it. `words` are all its words, for printing what is not understood. */
interface Extension<M> {
  readonly name: string;
  readonly module: M | null;
  readonly given: Map<string, GivenOption>;
  readonly words: string[];
  /** Why it can't be understood; null when it can. */
  fault: RuleError | null;
}

interface TargetPart extends Extension<TargetModule> {
  readonly option: '-j' | '-g';
}

interface RuleParts {
  readonly base: BaseOptions;
  readonly extensions: readonly Extension<MatchModule>[];
  readonly target: TargetPart | null;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Long names of the options that need no module, and whether `!` may stand before them. */
const BASE_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--source', '-s'], ['--src', '-s'], ['--destination', '-d'], ['--dst', '-d'], ['--in-interface', '-i'], ['--out-interface', '-o'],
  ['--protocol', '-p'], ['--proto', '-p'], ['--match', '-m'], ['--jump', '-j'], ['--goto', '-g'], ['--fragments', '-f'],
  ['--fragment', '-f'], ['--set-counters', '-c'], ['--ipv4', '-4'], ['--ipv6', '-6'],
]);
const SHORT_OPTIONS = '-s -d -i -o -p -m -j -g -f -c -4 -6'.split(' ');
const NEGATABLE = new Set(['-s', '-d', '-i', '-o', '-p', '-f']);
/** IFNAMSIZ - 1 */
const MAX_INTERFACE_NAME = 15;

class RuleReader {
  readonly #words: readonly string[];
  readonly #family: 4 | 6;
  readonly #mode: ReadMode;
  readonly #base: Writable<BaseOptions> = {};
  readonly #extensions: Extension<MatchModule>[] = [];
  /** In order of loading: the options of the last one loaded win (xtables_merge_options). */
  readonly #loaded: Extension<MatchModule | TargetModule>[] = [];
  #target: TargetPart | null = null;
  #at = 0;

  constructor(words: readonly string[], family: 4 | 6, mode: ReadMode) {
    this.#words = words;
    this.#family = family;
    this.#mode = mode;
  }

  read(): RuleParts {
    while (this.#at < this.#words.length) this.#option();
    return { base: this.#base, extensions: this.#extensions, target: this.#target };
  }

  #option(): void {
    const negated = this.#words[this.#at] === '!';
    if (negated) this.#at++;
    const word = this.#words[this.#at++];
    if (word === undefined) throw this.#refuse('nothing appropriate following !');
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals > 0 ? word.slice(0, equals) : word;
    const joined = equals > 0 ? word.slice(equals + 1) : null;
    const short = SHORT_OPTIONS.find((option) => word === option) ?? BASE_OPTIONS.get(name);
    if (short !== undefined) return this.#baseOption(short, negated, joined);
    const prefix = /^-[a-z]./.test(word) ? SHORT_OPTIONS.find((option) => word.startsWith(option)) : undefined;
    if (prefix !== undefined) return this.#baseOption(prefix, negated, word.slice(2));
    if (!word.startsWith('-')) return this.#stray(word, `Bad argument \`${word}'`);
    this.#extensionOption(name, negated, joined);
  }

  #next(option: string): string {
    const word = this.#words[this.#at++];
    if (word === undefined) throw this.#refuse(`option "${option}" requires an argument`);
    return word;
  }

  #baseOption(option: string, negated: boolean, joined: string | null): void {
    if (negated && !NEGATABLE.has(option)) throw this.#refuse(`unexpected ! flag before ${option}`);
    const value = () => joined ?? this.#next(option);
    const base = this.#base;
    switch (option) {
      case '-s':
        base.source = { host: hostMaskOf(value(), this.#family), negated };
        return;
      case '-d':
        base.destination = { host: hostMaskOf(value(), this.#family), negated };
        return;
      case '-i':
        base.inInterface = { name: this.#interfaceName(value()), negated };
        return;
      case '-o':
        base.outInterface = { name: this.#interfaceName(value()), negated };
        return;
      case '-p': {
        const text = value();
        const number = protocolNumber(text);
        if (number === undefined) throw this.#refuse(`unknown protocol "${text}" specified`);
        if (number === 0 && negated) throw this.#refuse('rule would never match protocol');
        base.protocol = { number, negated };
        return;
      }
      case '-f':
        base.fragment = { negated };
        return;
      case '-c':
        value();
        this.#next('-c');
        return;
      case '-m':
        return this.#loadMatch(value());
      case '-j':
      case '-g':
        return this.#loadTarget(option, value());
      default:
        return;
    }
  }

  #interfaceName(name: string): string {
    if (name === '') throw this.#refuse('Empty interface is likely to be undesired');
    if (name.length > MAX_INTERFACE_NAME) {
      throw this.#refuse(`interface name \`${name}' must be shorter than IFNAMSIZ (${MAX_INTERFACE_NAME})`);
    }
    return name;
  }

  #loadMatch(name: string): void {
    if (this.#mode === 'command' && protocolModules.has(name)) {
      const present = this.#extensions.find((extension) => extension.name === name);
      if (present) {
        this.#loaded.push(present);
        return;
      }
    }
    const module = MATCH_MODULES.get(name) ?? null;
    this.#load({ name, module, given: new Map(), words: ['-m', name], fault: null });
    if (!module) this.#fault(this.#extensions.at(-1)!, new RuleError(`match "${name}" is not modelled`, 'not-modelled'));
  }

  #load(extension: Extension<MatchModule>): void {
    this.#extensions.push(extension);
    this.#loaded.push(extension);
  }

  #loadTarget(option: '-j' | '-g', name: string): void {
    if (this.#target) throw this.#refuse(`multiple ${option} flags not allowed`);
    const module = option === '-j' ? (TARGET_MODULES.get(name) ?? null) : null;
    this.#target = { option, name, module, given: new Map(), words: [option, name], fault: null };
    this.#loaded.push(this.#target);
    if (option === '-j' && isUnmodelledTarget(name)) {
      this.#fault(this.#target, new RuleError(`target "${name}" is not modelled`, 'not-modelled'));
    }
  }

  /** An option of a module: of the one loaded last that has it, else of the protocol's own, which is loaded now. */
  #extensionOption(name: string, negated: boolean, joined: string | null): void {
    const last = this.#loaded.at(-1);
    // What a module that is not modelled takes is not known: all that follows it is taken to be its own.
    if (last?.fault?.kind === 'not-modelled') return this.#unknownOption(last, name, negated, joined);
    const found = this.#find(name) ?? this.#findInProtocol(name);
    if (!found) return this.#noSuchOption(name, negated, joined);
    const { extension, option } = found;
    const count = option.args ?? 1;
    const values = joined === null ? [] : [joined];
    extension.words.push(...(negated ? ['!', name] : [name]));
    while (values.length < count) values.push(this.#next(name));
    extension.words.push(...values);
    if (negated && !option.negatable) {
      return this.#fault(extension, new RuleError(`${extension.name}: option "--${option.name}" cannot be inverted.`));
    }
    if (extension.given.has(option.name)) {
      return this.#fault(extension, new RuleError(`${extension.name}: option "--${option.name}" can only be used once.`));
    }
    extension.given.set(option.name, { name: option.name, negated, values });
  }

  #find(name: string): { readonly extension: Extension<MatchModule | TargetModule>; readonly option: OptionSpec } | null {
    const bare = name.slice(2);
    const shortened = new Map<OptionSpec, Extension<MatchModule | TargetModule>>();
    for (let i = this.#loaded.length - 1; i >= 0; i--) {
      const extension = this.#loaded[i]!;
      for (const option of extension.module?.options ?? []) {
        const names = [option.name, ...(option.aliases ?? [])];
        if (names.includes(bare)) return { extension, option };
        // getopt_long takes the start of a name where it is the start of one option only.
        if (names.some((candidate) => candidate.startsWith(bare)) && bare !== '') shortened.set(option, shortened.get(option) ?? extension);
      }
    }
    const [only, ...others] = shortened;
    return only && others.length === 0 ? { option: only[0], extension: only[1] } : null;
  }

  #findInProtocol(name: string): { readonly extension: Extension<MatchModule | TargetModule>; readonly option: OptionSpec } | null {
    const { protocol } = this.#base;
    const module = protocol && !protocol.negated ? protocolModule(protocol.number) : undefined;
    if (module === null) throw this.#refuse(`the options of protocol ${protocol!.number} are not modelled`, 'not-modelled');
    if (module === undefined || this.#extensions.some((extension) => extension.name === module.name)) return null;
    this.#load({ name: module.name, module, given: new Map(), words: ['-m', module.name], fault: null });
    const found = this.#find(name);
    if (!found) {
      this.#extensions.pop();
      this.#loaded.pop();
    }
    return found;
  }

  #noSuchOption(name: string, negated: boolean, joined: string | null): void {
    const error = new RuleError(`unknown option "${name}"`);
    const last = this.#loaded.at(-1);
    if (this.#mode === 'command' || !last) throw error;
    this.#unknownOption(last, name, negated, joined);
    this.#fault(last, error);
  }

  #unknownOption(extension: Extension<MatchModule | TargetModule>, name: string, negated: boolean, joined: string | null): void {
    extension.words.push(...(negated ? ['!', name] : [name]));
    if (joined !== null) extension.words.push(joined);
    while (this.#at < this.#words.length && !/^(-.*|!)$/.test(this.#words[this.#at]!)) extension.words.push(this.#words[this.#at++]!);
  }

  #stray(word: string, message: string): void {
    const last = this.#loaded.at(-1);
    if (this.#mode === 'command' || !last) throw new RuleError(message);
    last.words.push(word);
    this.#fault(last, new RuleError(message));
  }

  #fault(extension: Extension<MatchModule | TargetModule>, error: RuleError): void {
    if (this.#mode === 'command') throw error;
    extension.fault ??= error;
  }

  #refuse(message: string, kind?: 'not-modelled'): RuleError {
    return new RuleError(message, kind);
  }
}

/** Modules whose options iptables-nft keeps together however often they are named. */
const protocolModules: ReadonlySet<string> = new Set(['tcp', 'udp']);

function buildMatch(extension: Extension<MatchModule>, scope: RuleScope, mode: ReadMode): Match {
  const { name, module } = extension;
  try {
    if (extension.fault) throw extension.fault;
    checkRequired(name, module!.options, extension);
    const { text, test, unknown } = module!.build(extension.given, scope);
    return {
      module: name,
      text: text === '' ? `-m ${name}` : `-m ${name} ${text}`,
      test,
      ...(unknown && { unknown }),
      ...(module!.stateful && { stateful: true }),
    };
  } catch (error) {
    if (!(error instanceof RuleError) || mode === 'command') throw error;
    return { module: name, text: joinRuleWords(extension.words), test: () => 'unknown', unknown: true };
  }
}

function buildTarget(
  part: TargetPart | null,
  scope: RuleScope,
  mode: ReadMode,
): { readonly target: Target; readonly module: TargetModule | null } {
  if (!part) return { target: { text: '', action: { kind: 'none' } }, module: null };
  const { name, module, option } = part;
  try {
    if (part.fault) throw part.fault;
    if (!module) return { target: { text: `${option} ${name}`, action: jump(part) }, module };
    checkRequired(name, module.options, part);
    const { text, action } = module.build(part.given, scope);
    return { target: { text: text === '' ? `-j ${name}` : `-j ${name} ${text}`, action }, module };
  } catch (error) {
    if (!(error instanceof RuleError) || mode === 'command') throw error;
    return { target: { text: joinRuleWords(part.words), action: { kind: 'unknown', name } }, module };
  }
}

function jump({ option, name }: TargetPart): TargetAction {
  return { kind: option === '-j' ? 'jump' : 'goto', chain: name };
}

function checkRequired(name: string, options: readonly OptionSpec[], { given }: Extension<unknown>): void {
  const missing = options.find((option) => option.required && !given.has(option.name));
  if (missing) throw new RuleError(`${name}: option "--${missing.name}" must be specified`);
}
