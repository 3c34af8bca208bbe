import { beside, firstOf } from './table.ts';
import type { RegistrationMapping, ServiceRegistration } from '../../trace/explanation.ts';
import type { Style } from '../style.ts';

const INDENT = 12;
/** Addresses and endpoints in one line of the picture. */
const MOST = 8;

/** From the name to an address to an endpoint, with who turns the one into the other. */
export function mappingLines(made: ServiceRegistration, style: Style): readonly string[] {
  const { chalk, width } = style;
  const names = made.mappings.filter(({ kind }) => kind === 'name');
  const addresses = made.mappings.filter(({ kind }) => kind === 'cluster-ip');
  const ports = made.mappings.filter(({ kind }) => kind === 'port-name');
  const isAlias = made.type === 'ExternalName';
  const [title, what] = isAlias
    ? ['ONE MAPPING', 'from a name to another name']
    : made.headless
      ? ['ONE MAPPING', 'from the name to the pods: no cluster IP is between']
      : ['TWO MAPPINGS', 'from the name to an address, from that to a pod'];
  const item = (label: string, text: string, note = ''): readonly string[] => {
    const lines = beside(`  ${label.padEnd(INDENT - 4)}`, text, width);
    const last = lines.at(-1)!;
    return note === ''
      ? lines
      : [
          ...lines.slice(0, -1),
          ...beside(last, note, width, 3).map((l, i) => (i === 0 ? last + chalk.dim(l.slice(last.length)) : chalk.dim(l))),
        ];
  };
  const arrow = (text: string): readonly string[] =>
    beside('     ▼      '.slice(0, INDENT - 2), text, width).map((line) => chalk.dim(line));
  const targets = ({ to, why }: RegistrationMapping): string => (to.length > 0 ? firstOf(to, MOST) : (why ?? 'nothing'));
  const [first] = names;
  const lines = [chalk.bold(title) + chalk.dim(`  ${what}`), ''];
  if (first !== undefined) {
    lines.push(...item('name', first.from));
    lines.push(...arrow(`${first.by} (CoreDNS) reads ${first.object}`));
  }
  const label = isAlias ? 'name' : made.headless ? 'pods' : 'address';
  const records = names.filter(({ from }) => from === first?.from);
  for (const [i, record] of records.entries()) {
    const note = i > 0 || isAlias || made.headless ? '' : 'the API server gave it out';
    lines.push(...item(i === 0 ? label : '', `${record.record} ${targets(record)}`, note));
  }
  for (const other of names.filter(({ from }) => from !== first?.from))
    lines.push(...item('', `${other.record} ${other.from} → ${targets(other)}`));
  if (addresses.length > 0) {
    lines.push(...arrow(`kube-proxy reads ${addresses[0]!.object}`));
    for (const [i, address] of addresses.entries())
      lines.push(...item(i === 0 ? 'pods' : '', `${address.from} → ${targets(address)}`));
  } else if (made.withoutRules !== null && !isAlias && !made.headless) {
    lines.push(...arrow('nobody: no kube-proxy runs here, the address leads nowhere'));
  }
  if (ports.length > 0) {
    lines.push('');
    lines.push(chalk.dim('  A named port has a name of its own (SRV):'));
    for (const port of ports) lines.push(...item('', port.from), ...item('', `→ ${targets(port)}`));
  }
  return lines;
}
