import { formatPriority } from './priority.ts';
import type { NftChain, NftElement, NftRuleset, NftSet, NftTable } from './ruleset.ts';

/** A ruleset as `nft list ruleset` of nftables 1.0.6 prints it; `nft -f` reads it back. '' for no tables. */
export function printRuleset(ruleset: NftRuleset): string {
  return ruleset.map(printTable).join('');
}

/** One table, with a newline at its end. */
export function printTable(table: NftTable): string {
  const head = [...table.options, ...commentLine(table.comment)].map((line) => `\t${line}\n`).join('');
  const parts: string[] = [];
  for (const { keyword, name, lines } of table.objects.filter(({ keyword }) => keyword !== 'flowtable')) {
    parts.push(block(`${keyword} ${name}`, lines));
  }
  for (const set of table.sets()) parts.push(printSet(set));
  for (const { keyword, name, lines } of table.objects.filter(({ keyword }) => keyword === 'flowtable')) {
    parts.push(block(`${keyword} ${name}`, lines));
  }
  for (const chain of table.chains()) parts.push(printChain(table, chain));
  return `table ${table.family} ${table.name} {\n${head}${parts.join('\n')}}\n`;
}

function printSet(set: NftSet): string {
  const elements = set.elements();
  return block(`${set.kind} ${set.name}`, [
    set.type,
    ...set.options,
    ...commentLine(set.comment),
    ...(elements.length === 0 ? [] : [`elements = { ${joinElements(set.type, elements.map(printElement))} }`]),
  ]);
}

function printElement({ key, data, comment, options }: NftElement): string {
  const head = [key, ...options, ...commentLine(comment)].join(' ');
  return data === null ? head : `${head} : ${data}`;
}

/** Types of keys of which nft puts five on a line, and two (calculate_delim); of others and of concatenations it is one. */
const FIVE_A_LINE = [
  'nf_proto',
  'integer',
  'inet_proto',
  'inet_service',
  'tcp_flag',
  'mark',
  'iface_index',
  'classid',
  'uid',
  'gid',
  'ct_dir',
  'tcp dport',
  'tcp sport',
  'udp dport',
  'udp sport',
  'sctp dport',
  'sctp sport',
  'th dport',
  'th sport',
  'meta mark',
  'ct mark',
  'meta l4proto',
  'ip protocol',
  'ip6 nexthdr',
  'vlan id',
];
const TWO_A_LINE = ['ipv4_addr', 'ct_state', 'ct_status', 'pkt_type', 'ip saddr', 'ip daddr', 'ct state', 'ct status'];
const PER_LINE: ReadonlyMap<string, number> = new Map([
  ...FIVE_A_LINE.map((type) => [type, 5] as const),
  ...TWO_A_LINE.map((type) => [type, 2] as const),
]);

function joinElements(type: string, elements: readonly string[]): string {
  const keyType = /^type(?:of)? ([^:]*?)(?: :|$)/.exec(type)?.[1] ?? '';
  const perLine = PER_LINE.get(keyType) ?? 1;
  let text = elements[0]!;
  for (let i = 1; i < elements.length; i++) text += `${i % perLine === 0 ? ',\n\t\t\t     ' : ', '}${elements[i]!}`;
  return text;
}

function printChain(table: NftTable, { name, base, comment, rules }: NftChain): string {
  const lines = commentLine(comment);
  if (base !== null) {
    const device =
      base.device === null ? '' : base.device.startsWith('{') ? ` devices = ${base.device}` : ` device ${base.device}`;
    const priority = formatPriority(table.family, base);
    lines.push(`type ${base.type} hook ${base.hook}${device} priority ${priority}; policy ${base.policy};`);
  }
  for (const { text } of rules) lines.push(text);
  return block(`chain ${name}`, lines);
}

function block(head: string, lines: readonly string[]): string {
  return `\t${head} {\n${lines.map((line) => `\t\t${line}\n`).join('')}\t}\n`;
}

function commentLine(comment: string | null): string[] {
  return comment === null ? [] : [`comment "${comment}"`];
}
