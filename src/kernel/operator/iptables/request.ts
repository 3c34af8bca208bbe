import { RuleError } from '../../netfilter/iptables/option.ts';
import { readRule } from '../../netfilter/iptables/rule-reader.ts';
import { TABLE_NAMES } from '../../netfilter/iptables/table.ts';
import type { RuleParts, WordSource } from '../../netfilter/iptables/rule-parts.ts';
import type { TableName } from '../../netfilter/iptables/table.ts';

/** What an iptables command line is to do. Rule numbers are 1-based. */
export type Command =
  | { readonly kind: 'append' | 'check'; readonly chain: string }
  | { readonly kind: 'insert'; readonly chain: string; readonly number: number }
  | { readonly kind: 'delete'; readonly chain: string; readonly number: number | null }
  | { readonly kind: 'replace'; readonly chain: string; readonly number: number }
  | { readonly kind: 'flush' | 'delete-chain' | 'list' | 'zero'; readonly chain: string | null }
  | { readonly kind: 'new-chain'; readonly chain: string }
  | { readonly kind: 'policy'; readonly chain: string; readonly policy: string }
  | { readonly kind: 'rename'; readonly chain: string; readonly to: string };

export interface Request {
  readonly table: TableName;
  readonly command: Command;
  readonly rule: RuleParts;
}

// biome-ignore format: a table reads better in rows
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ['--append', '-A'], ['--check', '-C'], ['--delete', '-D'], ['--replace', '-R'], ['--insert', '-I'], ['--list', '-L'],
  ['--list-rules', '-S'], ['--flush', '-F'], ['--zero', '-Z'], ['--new-chain', '-N'], ['--new', '-N'], ['--delete-chain', '-X'],
  ['--policy', '-P'], ['--rename-chain', '-E'], ['--table', '-t'], ['--wait', '-w'], ['--wait-interval', '-W'], ['--verbose', '-v'],
  ['--numeric', '-n'], ['--exact', '-x'], ['--help', '-h'], ['--version', '-V'],
]);
const RULE_COMMANDS: readonly Command['kind'][] = ['append', 'check', 'insert', 'delete', 'replace'];

/** Reads the words behind the program's name. Throws RuleError for what iptables refuses while reading. */
export function readRequest(words: readonly string[], family: 4 | 6): Request {
  const reader = new RequestReader();
  const rule = readRule(words.flatMap(splitFlags), family, 'command', (option, source) => reader.option(option, source));
  return reader.request(rule);
}

/** "-nvL" is "-n -v -L". */
function splitFlags(word: string): readonly string[] {
  return /^-[nvx]+[nvxLS]$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

class RequestReader {
  #table = 'filter';
  #command: Command | null = null;
  #letter = '';
  /** An option that shapes a listing. */
  #listing: string | null = null;

  option(name: string, words: WordSource): boolean {
    const option = LONG_NAMES.get(name) ?? name;
    switch (option) {
      case '-t':
        this.#table = words.argument();
        return true;
      case '-w':
        words.optional();
        return true;
      case '-W':
      case '--modprobe':
        words.argument();
        return true;
      case '-v':
        return true;
      case '-n':
      case '-x':
      case '--line-numbers':
        this.#listing = option;
        return true;
      case '-h':
      case '-V':
        throw new RuleError(`option "${name}" is not modelled`, 'not-modelled');
      default:
        return this.#readCommand(option, words);
    }
  }

  #readCommand(option: string, words: WordSource): boolean {
    const command = commandOf(option, words);
    if (!command) return false;
    if (this.#command) throw new RuleError(`Cannot use ${option} with ${this.#letter}`);
    this.#command = command;
    this.#letter = option;
    return true;
  }

  request(rule: RuleParts): Request {
    const table = TABLE_NAMES.find((name) => name === this.#table);
    if (!table) throw new RuleError(`table '${this.#table}' does not exist`);
    const command = this.#command;
    if (!command) throw new RuleError('no command specified');
    if (this.#listing !== null && command.kind !== 'list')
      throw new RuleError(`Illegal option \`${this.#listing}' with this command`);
    const given = ruleOption(rule);
    const takesRule = RULE_COMMANDS.includes(command.kind) && !(command.kind === 'delete' && command.number !== null);
    if (given !== null && !takesRule) throw new RuleError(`Illegal option \`${given}' with this command`);
    return { table, command, rule };
  }
}

function commandOf(option: string, words: WordSource): Command | null {
  switch (option) {
    case '-A':
      return { kind: 'append', chain: words.argument() };
    case '-C':
      return { kind: 'check', chain: words.argument() };
    case '-I': {
      const chain = words.argument();
      const number = words.optional();
      return { kind: 'insert', chain, number: number === null ? 1 : ruleNumber(number) };
    }
    case '-D': {
      const chain = words.argument();
      const number = words.optional();
      return { kind: 'delete', chain, number: number === null ? null : ruleNumber(number) };
    }
    case '-R': {
      const chain = words.argument();
      const number = words.optional();
      if (number === null) throw new RuleError('-R requires a rule number');
      return { kind: 'replace', chain, number: ruleNumber(number) };
    }
    case '-F':
      return { kind: 'flush', chain: words.optional() };
    case '-X':
      return { kind: 'delete-chain', chain: words.optional() };
    case '-L':
    case '-S':
    case '-Z': {
      const chain = words.optional();
      if (chain !== null) words.optional();
      return { kind: option === '-Z' ? 'zero' : 'list', chain };
    }
    case '-N':
      return { kind: 'new-chain', chain: words.argument() };
    case '-P': {
      const chain = words.argument();
      const policy = words.optional();
      if (policy === null) throw new RuleError('-P requires a chain and a policy');
      return { kind: 'policy', chain, policy };
    }
    case '-E': {
      const chain = words.argument();
      const to = words.optional();
      if (to === null) throw new RuleError('-E requires old-chain-name and new-chain-name');
      return { kind: 'rename', chain, to };
    }
    default:
      return null;
  }
}

function ruleNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new RuleError(`Invalid rule number \`${text}'`);
  return Number(text);
}

/** An option that only commands with a rule take; null when the command line has none. */
function ruleOption({ base, sources, destinations, target }: RuleParts): string | null {
  if (sources) return '-s';
  if (destinations) return '-d';
  if (base.protocol) return '-p';
  if (base.inInterface) return '-i';
  if (base.outInterface) return '-o';
  return target ? target.option : null;
}
