import { chainOf, visitChains } from '../kernel/netfilter/iptables/chain.ts';
import { isBaseChain, linesOf } from '../kernel/netfilter/iptables/edit.ts';
import { TABLE_HOOKS } from '../kernel/netfilter/iptables/table.ts';
import { once } from '../support/once.ts';
import type { IpFamily } from '../net/ip.ts';
import type { RuleLine } from '../kernel/netfilter/iptables/rule.ts';
import type { Chain, IptablesTables, Table, TableName } from '../kernel/netfilter/iptables/table.ts';

/** Rules for one chain, in order; a chain that does not exist is made. */
export interface ChainRules {
  readonly table: TableName;
  readonly chain: string;
  readonly lines: readonly RuleLine[];
  /** Default: behind the rules that are there. */
  readonly at?: 'start' | 'end';
}

/** The tables with all of `rules`, as `iptables -A` and `-I` one after the other would leave them, but in one step a table. */
export function addRules(tables: IptablesTables, rules: readonly ChainRules[], family: IpFamily = 4): IptablesTables {
  const changed = new Map(tables);
  for (const name of new Set(rules.map(({ table }) => table))) {
    changed.set(
      name,
      extended(
        name,
        tables.get(name),
        rules.filter(({ table }) => table === name),
        family,
      ),
    );
  }
  return changed;
}

function extended(name: TableName, base: Table | undefined, rules: readonly ChainRules[], family: IpFamily): Table {
  const lines = new Map<string, readonly RuleLine[]>();
  for (const { chain, lines: added, at } of rules) {
    const there = lines.get(chain) ?? linesIn(base, chain);
    lines.set(chain, at === 'start' ? [...added, ...there] : [...there, ...added]);
  }
  const chains = new Map<string, Chain>();
  for (const [chain, all] of lines) {
    const policy = base?.chain(chain)?.policy ?? (isBaseChain(name, chain) ? 'ACCEPT' : null);
    chains.set(chain, chainOf(name, chain, policy, all, family));
  }
  return {
    name,
    chain: (chain) => chains.get(chain) ?? base?.chain(chain),
    visitChains(visit) {
      for (const [chain, all] of lines)
        visit(
          chain,
          all.map(({ body }) => body),
        );
      if (base) visitChains(base, (chain, bodies) => !chains.has(chain) && visit(chain, bodies));
    },
    chainNames: once(() => listed(name, new Set([...(base?.chainNames() ?? []), ...chains.keys()]))),
  };
}

function linesIn(table: Table | undefined, chain: string): readonly RuleLine[] {
  const found = table?.chain(chain);
  return found ? linesOf(found) : [];
}

/** iptables-save's order: base chains as the hooks come, then user chains by name. */
function listed(table: TableName, names: ReadonlySet<string>): readonly string[] {
  const base: readonly string[] = TABLE_HOOKS[table].filter((hook) => names.has(hook));
  const user = [...names].filter((name) => !base.includes(name)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [...base, ...user];
}
