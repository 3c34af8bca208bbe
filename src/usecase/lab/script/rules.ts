import type { IptablesTables, Table } from '../../../kernel/netfilter/iptables/table.ts';

/**
 * Rules as `iptables-restore` reads them. Unlike iptables-save, base chains that nothing has made are not named: restoring them would
 * make them, and a chain that exists is a chain that packets pass.
 */
export function restoreText(tables: IptablesTables): string {
  return [...tables.values()].map(tableText).join('');
}

function tableText(table: Table): string {
  const lines = [`*${table.name}`];
  const names = [...table.chainNames()];
  for (const name of names) lines.push(`:${name} ${table.chain(name)?.policy ?? '-'} [0:0]`);
  for (const name of names) {
    const chain = table.chain(name);
    for (let i = 0; chain && i < chain.length; i++) lines.push(`-A ${name} ${chain.body(i)}`.trimEnd());
  }
  return `${[...lines, 'COMMIT'].join('\n')}\n`;
}
