import { chainOf, tableOf } from './chain.ts';
import { TABLE_HOOKS } from './table.ts';
import type { LineChain } from './chain.ts';
import type { RuleLine } from './rule.ts';
import type { Chain, IptablesTables, Table, TableName } from './table.ts';

/** The lines of any chain, for editing. */
export function linesOf(chain: Chain): readonly RuleLine[] {
  if ('lines' in chain) return (chain as LineChain).lines;
  return Array.from({ length: chain.length }, (_, i) => {
    const { body, origin, source } = chain.rule(i);
    return { body, ...(origin && { origin }), ...(source && { source }) };
  });
}

/** Puts a chain into a table (made when missing), in place of one of its name. */
export function withChain(tables: IptablesTables, table: TableName, chain: Chain): IptablesTables {
  const old = tables.get(table);
  return new Map(tables).set(table, overlay(table, old, chain.name, chain));
}

export function withoutChain(tables: IptablesTables, table: TableName, name: string): IptablesTables {
  const old = tables.get(table);
  return old ? new Map(tables).set(table, overlay(table, old, name, null)) : tables;
}

/**
 * Inserts a line before the 0-based `index` (default: at the end). A base chain that does not exist yet is made with policy ACCEPT,
 * as iptables-nft makes one when it gets its first rule; a user chain too.
 */
export function insertRule(
  tables: IptablesTables,
  table: TableName,
  chain: string,
  line: RuleLine,
  index?: number,
  family: 4 | 6 = 4,
): IptablesTables {
  const old = tables.get(table)?.chain(chain);
  const lines = old ? linesOf(old) : [];
  const at = index ?? lines.length;
  const policy = old ? old.policy : isBaseChain(table, chain) ? 'ACCEPT' : null;
  return withChain(tables, table, chainOf(table, chain, policy, [...lines.slice(0, at), line, ...lines.slice(at)], family));
}

export function isBaseChain(table: TableName, chain: string): boolean {
  return (TABLE_HOOKS[table] as readonly string[]).includes(chain);
}

function overlay(name: TableName, base: Table | undefined, changed: string, chain: Chain | null): Table {
  if (!base) return tableOf(name, chain ? [chain] : []);
  return {
    name,
    chain: (wanted) => (wanted === changed ? (chain ?? undefined) : base.chain(wanted)),
    chainNames: () => {
      const names = [...base.chainNames()].filter((n) => n !== changed);
      const chains = names.map((n) => base.chain(n)!);
      return tableOf(name, chain ? [...chains, chain] : chains).chainNames();
    },
  };
}
