import { hostMaskOf } from './host-mask.ts';
import { MATCH_MODULES, protocolModule } from './match/index.ts';
import { RuleError } from './option.ts';
import { protocolName, protocolNumber } from './protocol-names.ts';
import { isUnmodelledTarget, TARGET_MODULES } from './target/index.ts';
import type { BaseOptions } from './match/base.ts';
import type { MatchModule } from './match/module.ts';
import type { OptionSpec } from './option.ts';
import type { AddressPart, CommandOption, Extension, ReadMode, RuleParts, TargetPart } from './rule-parts.ts';
import type { TargetModule } from './target/module.ts';

/** Reads a rule's words ("-p", "tcp", "--dport", "80", "-j", "ACCEPT"). Throws RuleError. */
export function readRule(words: readonly string[], family: 4 | 6, mode: ReadMode, commandOption?: CommandOption): RuleParts {
  return new RuleReader(words, family, mode, commandOption).read();
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Long names of the options that need no module, and whether `!` may stand before them. */
// biome-ignore format: a table reads better in rows
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
  readonly #commandOption: CommandOption | undefined;
  readonly #base: Writable<Omit<BaseOptions, 'source' | 'destination'>> = {};
  #sources: AddressPart | null = null;
  #destinations: AddressPart | null = null;
  readonly #extensions: Extension<MatchModule>[] = [];
  /** In order of loading: the options of the last one loaded win (xtables_merge_options). */
  readonly #loaded: Extension<MatchModule | TargetModule>[] = [];
  readonly #seen = new Set<string>();
  #target: TargetPart | null = null;
  #at = 0;

  constructor(words: readonly string[], family: 4 | 6, mode: ReadMode, commandOption?: CommandOption) {
    this.#words = words;
    this.#family = family;
    this.#mode = mode;
    this.#commandOption = commandOption;
  }

  read(): RuleParts {
    while (this.#at < this.#words.length) this.#option();
    return {
      base: this.#base,
      sources: this.#sources,
      destinations: this.#destinations,
      extensions: this.#extensions,
      target: this.#target,
    };
  }

  #option(): void {
    const negated = this.#words[this.#at] === '!';
    if (negated) this.#at++;
    const word = this.#words[this.#at++];
    if (word === undefined) throw new RuleError('nothing appropriate following !');
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals > 0 ? word.slice(0, equals) : word;
    const joined = equals > 0 ? word.slice(equals + 1) : null;
    if (!word.startsWith('-') || word === '-') return this.#stray(word);
    if (!word.startsWith('--') && word.length > 2) {
      const option = word.slice(0, 2);
      if (SHORT_OPTIONS.includes(option)) return this.#baseOption(option, negated, word.slice(2));
      if (this.#takenByCommand(option, negated, word.slice(2))) return;
      throw new RuleError(`unknown option "${word}"`);
    }
    const option = BASE_OPTIONS.get(name) ?? name;
    if (SHORT_OPTIONS.includes(option)) return this.#baseOption(option, negated, joined);
    if (this.#takenByCommand(option, negated, joined)) return;
    if (!word.startsWith('--')) return this.#unknownShortOption(word);
    this.#extensionOption(name, negated, joined);
  }

  #takenByCommand(option: string, negated: boolean, joined: string | null): boolean {
    if (!this.#commandOption) return false;
    const at = this.#at;
    let pending = joined;
    const take = (): string => {
      const word = pending ?? this.#next(option);
      pending = null;
      return word;
    };
    const taken = this.#commandOption(option, {
      argument: take,
      optional: () => (pending === null && /^(-.*|!)$/.test(this.#words[this.#at] ?? '-') ? null : take()),
    });
    if (taken && negated) throw new RuleError(`cannot have ! before ${this.#words[at - 1]}`);
    return taken;
  }

  #unknownShortOption(word: string): void {
    if (this.#mode === 'command') throw new RuleError(`unknown option "${word}"`);
    this.#stray(word);
  }

  #next(option: string): string {
    const word = this.#words[this.#at++];
    if (word === undefined) throw new RuleError(`option "${option}" requires an argument`);
    return word;
  }

  #baseOption(option: string, negated: boolean, joined: string | null): void {
    if (negated && !NEGATABLE.has(option)) throw new RuleError(`cannot have ! before ${option}`);
    const next = () => joined ?? this.#next(option);
    // For these iptables reads the whole word, joined to its option or not ("-ptcp"), and so never understands it.
    const value = () => (joined === null ? this.#next(option) : this.#words[this.#at - 1]!);
    const base = this.#base;
    this.#once(option);
    switch (option) {
      case '-s':
        this.#sources = this.#addresses(value(), negated);
        return;
      case '-d':
        this.#destinations = this.#addresses(value(), negated);
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
        if (number === undefined) throw new RuleError(`unknown protocol "${text}" specified`);
        if (number === 0 && negated) throw new RuleError('rule would never match protocol');
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
        return this.#loadMatch(next());
      case '-j':
      case '-g':
        return this.#loadTarget(option, next());
      default:
        if (this.#mode === 'command' && option !== `-${this.#family}`)
          throw new RuleError(`option "${option}" is another family's`);
        return;
    }
  }

  /** Options that may stand once in a rule. */
  #once(option: string): void {
    if (!NEGATABLE.has(option)) return;
    if (this.#seen.has(option)) throw new RuleError(`multiple ${option} flags not allowed`);
    this.#seen.add(option);
  }

  #addresses(text: string, negated: boolean): AddressPart {
    const hosts = text.split(',').map((part) => hostMaskOf(part, this.#family));
    if (negated && hosts.length > 1) throw new RuleError('! not allowed with multiple source or destination IP addresses');
    return { hosts, negated };
  }

  #interfaceName(name: string): string {
    if (name === '') throw new RuleError('Empty interface is likely to be undesired');
    if (name.length > MAX_INTERFACE_NAME) {
      throw new RuleError(`interface name \`${name}' must be shorter than IFNAMSIZ (${MAX_INTERFACE_NAME})`);
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
    if (this.#target) throw new RuleError(`multiple ${option} flags not allowed`);
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
        if (names.some((candidate) => candidate.startsWith(bare)) && bare !== '')
          shortened.set(option, shortened.get(option) ?? extension);
      }
    }
    const [only, ...others] = shortened;
    const isBase = [...BASE_OPTIONS.keys()].some((candidate) => candidate.startsWith(name));
    return only && others.length === 0 && !isBase ? { option: only[0], extension: only[1] } : null;
  }

  #findInProtocol(
    name: string,
  ): { readonly extension: Extension<MatchModule | TargetModule>; readonly option: OptionSpec } | null {
    const { protocol } = this.#base;
    const module = protocol && !protocol.negated ? protocolModule(protocol.number) : undefined;
    if (module === null)
      throw new RuleError(`the options of protocol ${protocolName(protocol!.number)} are not modelled`, 'not-modelled');
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
    while (this.#at < this.#words.length && !/^(-.*|!)$/.test(this.#words[this.#at]!))
      extension.words.push(this.#words[this.#at++]!);
  }

  #stray(word: string): void {
    const error = new RuleError(`Bad argument \`${word}'`);
    const last = this.#loaded.at(-1);
    if (this.#mode === 'command' || !last) throw error;
    last.words.push(word);
    this.#fault(last, error);
  }

  #fault(extension: Extension<MatchModule | TargetModule>, error: RuleError): void {
    if (this.#mode === 'command') throw error;
    extension.fault ??= error;
  }
}

/** Modules whose options iptables-nft keeps together however often they are named. */
const protocolModules: ReadonlySet<string> = new Set(['tcp', 'udp']);
