import { chainIndex } from './chain-index.ts';
import { compileRule } from './rule.ts';
import { TABLE_HOOKS } from './table.ts';
import type { RuleLine } from './rule.ts';
import type { Chain, ChainVisitor, Rule, Table, TableName } from './table.ts';

/** A chain over lines of text; each rule is compiled when first looked at, a large chain has an index. */
export function chainOf(
  table: TableName,
  name: string,
  policy: 'ACCEPT' | 'DROP' | null,
  lines: readonly RuleLine[],
  family: 4 | 6 = 4,
): LineChain {
  const compiled: Rule[] = [];
  const candidates = chainIndex(lines);
  return {
    name,
    policy,
    lines,
    length: lines.length,
    rule: (index) => (compiled[index] ??= compileRule(lines[index]!, table, family)),
    body: (index) => lines[index]!.body,
    ...(candidates && { candidates }),
  };
}

/** A chain that still has its text, so that it can be edited. */
export interface LineChain extends Chain {
  readonly lines: readonly RuleLine[];
}

/** A table over chains, listed as iptables-save does: base chains in hook order, then user chains by name. */
export function tableOf(name: TableName, chains: Iterable<Chain>): Table {
  const byName = new Map<string, Chain>();
  for (const chain of chains) byName.set(chain.name, chain);
  let names: readonly string[] | undefined;
  return {
    name,
    chain: (chain) => byName.get(chain),
    chainNames: () => (names ??= sortChainNames(name, [...byName.keys()])),
  };
}

/** Visits every chain of a table once, in no order: what printing needs. A large table keeps nothing of what it makes for that. */
export function visitChains(table: Table, visit: ChainVisitor): void {
  if (table.visitChains) {
    table.visitChains(visit);
    return;
  }
  for (const name of table.chainNames()) {
    const chain = table.chain(name);
    if (chain)
      visit(
        name,
        Array.from({ length: chain.length }, (_, i) => chain.body(i)),
      );
  }
}

function sortChainNames(table: TableName, names: readonly string[]): readonly string[] {
  const hooks: readonly string[] = TABLE_HOOKS[table];
  const base = hooks.filter((hook) => names.includes(hook));
  const user = names.filter((name) => !hooks.includes(name)).sort((a, b) => (a < b ? -1 : 1));
  return [...base, ...user];
}
