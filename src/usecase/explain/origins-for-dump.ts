import { chainOf } from '../../kernel/netfilter/iptables/chain.ts';
import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { recogniseRule } from './recognise-rule.ts';
import { serviceIndexOf, serviceIndexOfDump } from './service-index.ts';
import type { RuleLine } from '../../kernel/netfilter/iptables/rule.ts';
import type { Chain, IptablesTables, Table } from '../../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { ServiceIndex } from './service-index.ts';

/**
 * The same tables with an origin at each rule that is recognised, so that traces through a dump can name the object behind a rule. What the
 * dump itself says comes first, the cluster's services where it is silent. A chain is looked through when somebody enters it.
 */
export function originsForDump(tables: IptablesTables, cluster: Cluster, family: 4 | 6 = 4): IptablesTables {
  const index = serviceIndexOfDump(tables, serviceIndexOf(cluster));
  return new Map([...tables].map(([name, table]) => [name, withOrigins(table, index, family)]));
}

function withOrigins(table: Table, index: ServiceIndex, family: 4 | 6): Table {
  const made = new Map<string, Chain>();
  return {
    name: table.name,
    chainNames: () => table.chainNames(),
    chain(name) {
      const existing = made.get(name);
      if (existing !== undefined) return existing;
      const chain = table.chain(name);
      if (chain === undefined) return undefined;
      const lines = linesOf(chain).map((line) => withOrigin(table.name, name, line, index));
      const copy = {
        ...chainOf(table.name, name, chain.policy, lines, family),
        ...(chain.candidates && { candidates: chain.candidates }),
      };
      made.set(name, copy);
      return copy;
    },
  };
}

function withOrigin(table: string, chain: string, line: RuleLine, index: ServiceIndex): RuleLine {
  if (line.origin !== undefined) return line;
  const origin = recogniseRule(table, chain, line.body, index)?.origin;
  return origin === undefined ? line : { ...line, origin };
}
