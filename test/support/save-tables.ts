import { chainOf, tableOf } from '../../src/kernel/netfilter/iptables/chain.ts';
import { isBaseChain } from '../../src/kernel/netfilter/iptables/edit.ts';
import type { IptablesTables, TableName } from '../../src/kernel/netfilter/iptables/table.ts';

/** Tables from lines "*table" and "-A CHAIN rule"; chains are made as they come, base chains with policy ACCEPT unless ":CHAIN POLICY" says otherwise. */
export function tablesFrom(text: string): IptablesTables {
  const tables = new Map<TableName, Map<string, { policy: 'ACCEPT' | 'DROP' | null; readonly bodies: string[] }>>();
  let table: TableName = 'filter';
  const chain = (name: string) => {
    const chains = tables.get(table) ?? new Map();
    tables.set(table, chains);
    if (!chains.has(name)) chains.set(name, { policy: isBaseChain(table, name) ? 'ACCEPT' : null, bodies: [] });
    return chains.get(name)!;
  };
  for (const line of text.split('\n').map((l) => l.trim())) {
    const rule = /^-A (\S+) ?(.*)$/.exec(line);
    const policy = /^:(\S+) (\S+)/.exec(line);
    if (line.startsWith('*')) table = line.slice(1) as TableName;
    else if (rule !== null) chain(rule[1]!).bodies.push(rule[2]!);
    else if (policy !== null) chain(policy[1]!).policy = policy[2] === '-' ? null : (policy[2] as 'ACCEPT' | 'DROP');
  }
  return new Map(
    [...tables].map(([name, chains]) => [
      name,
      tableOf(
        name,
        [...chains].map(([c, { policy, bodies }]) =>
          chainOf(
            name,
            c,
            policy,
            bodies.map((body) => ({ body })),
          ),
        ),
      ),
    ]),
  );
}
