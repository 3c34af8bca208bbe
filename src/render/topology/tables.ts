import { cells, cut, widest } from './canvas.ts';
import { hasSay } from './hook-path.ts';
import { behindText, count } from './words.ts';
import type { TopologyChain, TopologyDetail, TopologyEntrance, TopologyMaker, TopologyRoute } from '../../trace/topology.ts';
import type { Style } from '../style.ts';

/** Who made the rules at each hook, one line a table. */
export function chainLines({ hooks }: TopologyDetail, style: Style, width: number): readonly string[] {
  const rows = hooks.flatMap(({ hook, chains }) =>
    chains.filter(hasSay).map((chain, i) => [i === 0 ? hook : '', chainName(chain), rulesText(chain), makersText(chain.makers)]),
  );
  return columns(rows, style, width, ['cyan', 'plain', 'plain', 'dim']);
}

function chainName({ kind, family, table, chain }: TopologyChain): string {
  const name =
    kind === 'nftables' ? `nft ${chain}` : kind === 'iptables-legacy' ? `legacy ${table}` : (table ?? 'virtual servers');
  return family === 6 ? `${name} IPv6` : name;
}

function rulesText({ kind, rules, behind, policy }: TopologyChain): string {
  if (kind === 'ipvs') return `${rules} + ${count(behind, 'real server')}`;
  const more = behind === 0 ? '' : ` + ${behindText(behind)} behind`;
  return `${count(rules, 'rule')}${more}${policy === 'DROP' ? ', else DROP' : ''}`;
}

function makersText(makers: readonly TopologyMaker[]): string {
  const known = makers.map(({ by, rules }) => ({ name: by === 'unknown' ? 'nobody known' : by, rules }));
  return known.length === 1 ? known[0]!.name : known.map(({ name, rules }) => `${name} ${rules}`).join(', ');
}

/** Routes to other nodes are all alike: so many are listed. */
const LISTED_ALIKE = 6;

/** Routes with what they are for. Where the width is short, without what the kernel says of its own ones. */
export function routeLines({ routes, moreRoutes }: TopologyDetail, style: Style, width: number): readonly string[] {
  const several = new Set(routes.map(({ table }) => table)).size > 1;
  const alike = routes.filter(isToOtherNode);
  const left = alike.length <= LISTED_ALIKE + 1 ? [] : alike.slice(LISTED_ALIKE);
  const rows = routes
    .filter((route) => !left.includes(route))
    .map(({ table, text, purpose }) => [several ? `${table}: ${text}` : text, purpose]);
  const fits = widest(rows.map(([text]) => text!)) + widest(rows.map(([, purpose]) => purpose!)) + 4 <= width;
  const brief = rows.map(([text, purpose]) => [text!.replace(/ proto kernel| scope link| pref medium/g, ''), purpose!]);
  const more = left.length + moreRoutes;
  return [
    ...columns(fits ? rows : brief, style, width, ['plain', 'dim']),
    ...(more === 0 ? [] : [style.chalk.dim(`  and ${count(more, 'more route')} to the pods of other nodes`)]),
  ];
}

function isToOtherNode({ purpose }: TopologyRoute): boolean {
  return purpose.startsWith('pods of ') && !purpose.startsWith('pods of this node');
}

const KINDS: Readonly<Record<TopologyEntrance['kind'], string>> = {
  'node-port': 'node port',
  'host-port': 'host port',
  'health-check': 'health check',
  socket: 'socket',
};

/** Entrances that are listed. */
const LISTED = 30;

/** At which ports of the node something answers, and what. */
export function entranceLines({ entrances }: TopologyDetail, style: Style, width: number): readonly string[] {
  const rows = entrances
    .slice(0, LISTED)
    .map(({ kind, protocol, port, address, object, to }) => [
      `${protocol} ${port}`,
      KINDS[kind],
      `${object ?? ''}${to === null ? '' : `${object === null ? '' : ' '}${arrowTo(kind, to)}`}`,
      address === null ? '' : `only on ${address}`,
    ]);
  const lines = columns(rows, style, width, ['cyan', 'plain', 'plain', 'dim']);
  return entrances.length <= LISTED ? lines : [...lines, style.chalk.dim(`  and ${entrances.length - LISTED} more`)];
}

function arrowTo(kind: TopologyEntrance['kind'], to: string): string {
  return kind === 'node-port' ? `port ${to}` : `→ ${to}`;
}

type Tone = 'plain' | 'dim' | 'cyan';

/** Texts under each other; the last column of a row is cut, or goes below where there is no room for it. */
function columns(
  rows: readonly (readonly string[])[],
  { chalk }: Style,
  width: number,
  tones: readonly Tone[],
): readonly string[] {
  const widths = tones.map((_, c) => widest(rows.map((row) => row[c] ?? '')));
  const paint = (text: string, tone: Tone): string =>
    tone === 'plain' ? text : tone === 'dim' ? chalk.dim(text) : chalk.cyan(text);
  return rows.flatMap((row) => {
    const last = row.length - 1;
    const start = widths.slice(0, last).reduce((sum, w) => sum + w + 2, 2);
    const head = row
      .slice(0, last)
      .map((text, c) => paint(text, tones[c]!) + ' '.repeat(widths[c]! - cells(text) + 2))
      .join('');
    const end = row[last]!;
    if (end === '') return [`  ${head}`.trimEnd()];
    if (start + cells(end) <= width) return [`  ${head}${paint(end, tones[last]!)}`];
    return [`  ${head}`.trimEnd(), `      ${paint(cut(end, width - 6), tones[last]!)}`];
  });
}
