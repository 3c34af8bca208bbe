import { MATCH_MODULES } from './match/index.ts';
import { RuleError } from './option.ts';
import { parseRuleSpec } from './rule-spec.ts';
import { TABLE_HOOKS } from './table.ts';
import { isUnmodelledTarget, TARGET_MODULES } from './target/index.ts';
import { MAX_JUMPS } from './traverse.ts';
import { splitRuleWords } from './words.ts';
import type { HookName } from '../../../trace/event.ts';
import type { RuleLimit } from './rule-spec.ts';
import type { Chain, IptablesTables, Table } from './table.ts';

/** Why the kernel would not load a table: the text of its error, and the chain and rule (1-based) it stands at. */
export interface TableProblem {
  readonly error: 'Too many links' | 'Invalid argument' | 'Operation not supported' | 'No such file or directory';
  readonly table: Table['name'];
  readonly chain: string;
  readonly rule: number;
}

/**
 * Finds what the kernel refuses when rules are loaded (nf_tables nft_chain_validate, xt_check_match, xt_check_target): jumps in a
 * loop or deeper than it can hold, jumps to a base chain or to nowhere, modules in a table or hook that is not theirs. As in the
 * kernel only chains that a base chain leads to are looked at. Null: it loads.
 */
export function validateTable(table: Table, family: 4 | 6): TableProblem | null {
  for (const hook of TABLE_HOOKS[table.name]) {
    const base = table.chain(hook);
    const problem = base && new ChainWalk(table, family, hook).chain(base, 0);
    if (problem) return problem;
  }
  return null;
}

/** The first problem of several tables. */
export function validateTables(tables: IptablesTables, family: 4 | 6): TableProblem | null {
  for (const table of tables.values()) {
    const problem = validateTable(table, family);
    if (problem) return problem;
  }
  return null;
}

/** What the kernel refuses about one rule that was just put into a sound table (0-based index). Looks no further than it must. */
export function validateRule(table: Table, family: 4 | 6, chain: Chain, index: number): TableProblem | null {
  const hook = TABLE_HOOKS[table.name].find((name) => name === chain.name);
  if (hook) return new ChainWalk(table, family, hook).rule(chain, index, 0);
  const body = chain.body(index);
  const isTied = limitsOf(body, table.name, family).length > 0 || jumpOf(body, table) !== null;
  return isTied ? validateTable(table, family) : null;
}

class ChainWalk {
  readonly #table: Table;
  readonly #family: 4 | 6;
  readonly #hook: HookName;
  /** Greatest depth at which a chain has been looked at: at a greater one it must be looked at again. */
  readonly #seen = new Map<string, number>();

  constructor(table: Table, family: 4 | 6, hook: HookName) {
    this.#table = table;
    this.#family = family;
    this.#hook = hook;
  }

  chain(chain: Chain, depth: number): TableProblem | null {
    if ((this.#seen.get(chain.name) ?? -1) >= depth) return null;
    this.#seen.set(chain.name, depth);
    for (let index = 0; index < chain.length; index++) {
      const problem = this.rule(chain, index, depth);
      if (problem) return problem;
    }
    return null;
  }

  rule(chain: Chain, index: number, depth: number): TableProblem | null {
    const body = chain.body(index);
    const problem = (error: TableProblem['error']) => ({ error, table: this.#table.name, chain: chain.name, rule: index + 1 });
    const inBase = chain.name === this.#hook;
    if (!limitsAllow(limitsOf(body, this.#table.name, this.#family), this.#table.name, this.#hook, inBase))
      return problem('Invalid argument');
    const next = jumpOf(body, this.#table);
    if (next === null) return null;
    if (next === 'base') return problem('Operation not supported');
    if (next === undefined) return problem('No such file or directory');
    // The kernel counts a goto like a jump here, though it takes no place in the stack.
    return depth + 1 >= MAX_JUMPS ? problem('Too many links') : this.chain(next, depth + 1);
  }
}

function limitsAllow(limits: readonly RuleLimit[], table: Table['name'], hook: HookName, inBaseChain: boolean): boolean {
  return limits.every(
    ({ tables, hooks, baseHooks }) =>
      (tables?.includes(table) ?? true) &&
      (hooks?.includes(hook) ?? true) &&
      (!inBaseChain || (baseHooks?.includes(hook) ?? true)),
  );
}

/** The user chain that a rule jumps to; null when it is no jump, undefined when there is no such chain. Reads the text only. */
function jumpOf(body: string, table: Table): Chain | 'base' | null | undefined {
  const { option, name } = targetWords(body);
  if (name === undefined || (option === '-j' && (TARGET_MODULES.has(name) || isUnmodelledTarget(name)))) return null;
  return (TABLE_HOOKS[table.name] as readonly string[]).includes(name) ? 'base' : table.chain(name);
}

/** "-j" or "-g" and what follows. It stands at the end of a jump as iptables-save prints it, and anywhere as people write it. */
function targetWords(body: string): { readonly option?: string | undefined; readonly name?: string | undefined } {
  const last = /(?:^| )(-[jg]) ([^\s"]+)$/.exec(body);
  if (last) return { option: last[1], name: last[2] };
  if (!/(?:^|\s)-[jg]\s/.test(body)) return {};
  const words = splitRuleWords(body);
  const at = words.findIndex((word) => word === '-j' || word === '-g');
  return at < 0 ? {} : { option: words[at], name: words[at + 1] };
}

/** Modules that are tied to a place. Rules without one are nearly all; only the others are read. */
const TIED = new RegExp(
  `-j (?:${[...TARGET_MODULES.values()]
    .filter((module) => module.tables ?? module.hooks)
    .map((module) => module.name)
    .join('|')}|TCPMSS)\\b|` +
    `-m (?:${[...MATCH_MODULES.values()]
      .filter((module) => module.tables ?? module.hooks)
      .map((module) => module.name)
      .join('|')}|addrtype|physdev)\\b`,
);

function limitsOf(body: string, table: Table['name'], family: 4 | 6): readonly RuleLimit[] {
  if (!TIED.test(body)) return [];
  try {
    const { limits } = parseRuleSpec(splitRuleWords(body), table, family, 'dump');
    return limits.filter(({ tables, hooks, baseHooks }) => tables ?? hooks ?? baseHooks);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return [];
  }
}
