import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { TABLE_HOOKS, TABLE_NAMES } from '../../kernel/netfilter/iptables/table.ts';
import { TABLE_PRIORITY } from '../../kernel/netfilter/iptables-hooks.ts';
import { PRIORITY } from '../../kernel/netfilter/hook.ts';
import { readRuleText } from '../explain/rule-text.ts';
import { makersOf } from './makers.ts';
import { rulesBehind } from './reach.ts';
import type { Chain, IptablesTables, Table, TableName } from '../../kernel/netfilter/iptables/table.ts';
import type { HookName } from '../../trace/event.ts';
import type { HookedChain } from './hooked-chain.ts';
import type { CountedChain } from './reach.ts';

/** The base chains of a variant's tables, with what they lead to. */
export function iptablesChains(
  tables: IptablesTables,
  kind: 'iptables' | 'iptables-legacy',
  family: 4 | 6,
): readonly HookedChain[] {
  return TABLE_NAMES.flatMap((name) => {
    const table = tables.get(name);
    if (table === undefined) return [];
    return TABLE_HOOKS[name].flatMap((hook): HookedChain[] => {
      const chain = table.chain(hook);
      return chain === undefined
        ? []
        : [{ hook, priority: priorityOf(name, hook), chain: baseChain(table, chain, kind, family) }];
    });
  });
}

function priorityOf(table: TableName, hook: HookName): number {
  if (table !== 'nat') return TABLE_PRIORITY[table];
  return hook === 'PREROUTING' || hook === 'OUTPUT' ? PRIORITY.NAT_DST : PRIORITY.NAT_SRC;
}

function baseChain(table: Table, chain: Chain, kind: 'iptables' | 'iptables-legacy', family: 4 | 6): HookedChain['chain'] {
  const visited = new Set<string>();
  const rules = linesOf(chain).map(({ body, origin }) => {
    const jumps = jumpsOf(body, table);
    return { by: origin?.by ?? 'unknown', behind: rulesBehind(jumps, (name) => counted(table, name), visited) };
  });
  return { kind, family, table: table.name, chain: chain.name, policy: chain.policy, ...makersOf(rules) };
}

function counted(table: Table, name: string): CountedChain | undefined {
  const chain = table.chain(name);
  if (chain === undefined) return undefined;
  const jumps = new Set<string>();
  for (let i = 0; i < chain.length; i++) for (const jump of jumpsOf(chain.body(i), table)) jumps.add(jump);
  return { rules: chain.length, jumps: [...jumps] };
}

function jumpsOf(body: string, table: Table): readonly string[] {
  const { target } = readRuleText(body);
  return target !== '' && table.chain(target) !== undefined ? [target] : [];
}
