import { parseIp } from '../../../net/ip.ts';
import { randomProbability } from './match/statistic.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { TargetAction } from './target/target.ts';
import type { Match } from './match/match.ts';
import type { Chain, Rule, Table } from './table.ts';

/** A rule as the traversal runs it. */
export class ReadyRule {
  readonly rule: Rule;
  /** Those that ask something of the packet or draw. */
  readonly matches: readonly Match[];
  readonly isStateful: boolean;
  readonly action: TargetAction;
  readonly #table: Table;
  #target: ReadyChain | null | undefined;

  constructor(table: Table, rule: Rule) {
    this.#table = table;
    this.rule = rule;
    this.matches = rule.matches.filter(({ module, unknown }) => module !== 'comment' || unknown);
    this.action = rule.target.action;
    this.isStateful = this.matches.some(({ stateful }) => stateful);
  }

  /** Where its target leads; null: to no chain, or to one that is not there. */
  get target(): ReadyChain | null {
    if (this.#target === undefined) {
      const { action } = this;
      const leads = action.kind === 'jump' || action.kind === 'goto';
      this.#target = leads ? readyChain(this.#table, action.chain) : null;
    }
    return this.#target;
  }
}

/** A chain with what the traversal has found out of it. */
export interface ReadyChain {
  readonly chain: Chain;
  rule(index: number): ReadyRule;
  /**
   * An index over a run of rules that only chance tells apart, read from their text: with which probability each rule from `index` on is
   * the first of the run that matches, and behind them that none does. Null where no such run begins.
   */
  chances(index: number): readonly number[] | null;
  /** The one address that the chain behind a jump rewrites destinations to, by the text of its rules; null where they name none or several. */
  leadsTo(index: number): IpAddress | null;
}

/** Tables are immutable: what was found out of them stays true. */
const readyTables = new WeakMap<Table, Map<string, ReadyChain | null>>();

/** A chain of a table, made ready; null: there is none. */
export function readyChain(table: Table, name: string): ReadyChain | null {
  let chains = readyTables.get(table);
  if (!chains) {
    chains = new Map();
    readyTables.set(table, chains);
  }
  let ready = chains.get(name);
  if (ready === undefined) {
    const chain = table.chain(name);
    ready = chain ? makeReady(table, chain) : null;
    chains.set(name, ready);
  }
  return ready;
}

function makeReady(table: Table, chain: Chain): ReadyChain {
  const rules: ReadyRule[] = [];
  const runs: (readonly number[] | null)[] = [];
  return {
    chain,
    rule: (index) => (rules[index] ??= new ReadyRule(table, chain.rule(index))),
    chances(index) {
      const known = runs[index];
      if (known !== undefined) return known;
      const run = chancesFrom(chain, index);
      runs[index] = run;
      return run;
    },
    leadsTo(index) {
      const name = index < chain.length ? /-[jg] (\S+)$/.exec(chain.body(index))?.[1] : undefined;
      const behind = name === undefined ? undefined : table.chain(name);
      return behind ? dnatOf(behind) : null;
    },
  };
}

function dnatOf(chain: Chain): IpAddress | null {
  let found: IpAddress | null = null;
  for (let index = 0; index < chain.length; index++) {
    const text = /-j DNAT --to-destination (?:\[([\da-f:]+)\]|([\d.]+))(?::\d+)?(?: |$)/.exec(chain.body(index));
    const address = text && parseIp(text[1] ?? text[2]!);
    if (address === null) continue;
    if (found !== null && found !== address) return null;
    found = address;
  }
  return found;
}

/** Shorter runs are drawn rule by rule as fast. */
const MIN_RUN = 3;

/** A rule that matches by chance alone, in iptables-save's form. */
const BY_CHANCE =
  /^(?:-m comment --comment (?:[^\s"\\]+|"[^"\\]*") )?-m statistic --mode random --probability ([\d.]+)(?: -[jg] [\w-]+)?$/;

function chancesFrom(chain: Chain, from: number): readonly number[] | null {
  const chances: number[] = [];
  let none = 1;
  for (let index = from; index < chain.length; index++) {
    const text = BY_CHANCE.exec(chain.body(index))?.[1];
    const probability = text === undefined ? null : randomProbability(text);
    if (probability === null || probability <= 0 || probability >= 1) break;
    chances.push(none * probability);
    none *= 1 - probability;
  }
  return chances.length < MIN_RUN ? null : [...chances, none];
}
