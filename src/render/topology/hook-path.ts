import { Canvas, cells, cut } from './canvas.ts';
import { behindText } from './words.ts';
import type { HookName } from '../../trace/event.ts';
import type { TopologyChain, TopologyDetail } from '../../trace/topology.ts';
import type { Style } from '../style.ts';
import type { Ink } from './canvas.ts';

/** A box on a packet's way. */
interface Stop {
  readonly title: string;
  readonly lines: readonly string[];
  readonly ink: Ink;
}

const ARROW = 3;
/** In front of the first box, and behind the last one. */
const LEFT = 3;
const TAIL = 3;
const ROUTE_WIDTH = 11;
/** What the edges of a box take beside its text. */
const FRAME = 4;

/**
 * The way of a packet through the IP stack, with the five hooks as boxes and in each the tables that have rules there: passed on at the
 * bottom, up to the sockets and down from them in the middle (ip_rcv, ip_local_deliver, ip_forward, ip_output).
 */
export function hookPath(detail: TopologyDetail, style: Style, width: number): readonly string[] {
  // Three boxes stand in a row beside the routing decision; the upper ones have the room of two.
  const room = Math.max(Math.floor((width - LEFT - ROUTE_WIDTH - 3 * ARROW - TAIL) / 3) - FRAME, 12);
  const stop = (hook: HookName): Stop => ({
    title: hook,
    lines: tableLines(detail, hook).map((line) => cut(line, hook === 'INPUT' || hook === 'OUTPUT' ? room + ROUTE_WIDTH : room)),
    ink: 'device',
  });
  const route: Stop = { title: 'route', lines: ['for me?'], ink: 'name' };
  const [pre, forward, post] = [stop('PREROUTING'), forwardStop(stop('FORWARD'), detail), stop('POSTROUTING')];
  const [input, output] = [stop('INPUT'), stop('OUTPUT')];
  const preX = LEFT;
  const routeX = preX + widthOf(pre) + ARROW;
  const forwardX = routeX + widthOf(route) + ARROW;
  const up = routeX + Math.floor(widthOf(route) / 2);
  const inputX = Math.max(up - Math.floor(widthOf(input) / 2), 0);
  const beside = Math.floor((widthOf(post) - widthOf(output)) / 2);
  const postX = Math.max(forwardX + widthOf(forward) + ARROW, inputX + widthOf(input) + 2 - beside);
  const outputX = postX + beside;
  const down = outputX + Math.floor(widthOf(output) / 2);
  const canvas = new Canvas();
  const sockets = { x: inputX, width: outputX + widthOf(output) - inputX };
  canvas.box(sockets.x, 0, sockets.width, 3);
  const title = 'sockets: processes here';
  canvas.put(sockets.x + Math.floor((sockets.width - title.length) / 2), 1, title, 'name');
  const middle = 4;
  const middleHeight = Math.max(input.lines.length, output.lines.length) + 3;
  const low = middle + middleHeight + 1;
  const lowHeight = Math.max(pre.lines.length, forward.lines.length, post.lines.length, 1) + 3;
  drawStop(canvas, input, inputX, middle, middleHeight);
  drawStop(canvas, output, outputX, middle, middleHeight);
  drawStop(canvas, pre, preX, low, lowHeight);
  drawStop(canvas, route, routeX, low, lowHeight);
  drawStop(canvas, forward, forwardX, low, lowHeight);
  drawStop(canvas, post, postX, low, lowHeight);
  join(canvas, up, 2, middle, '▲');
  join(canvas, up, middle + middleHeight - 1, low, '▲');
  join(canvas, down, 2, middle, '▼');
  join(canvas, down, middle + middleHeight - 1, low, '▼');
  arrow(canvas, 0, preX, low + 1);
  arrow(canvas, preX + widthOf(pre) - 1, routeX, low + 1);
  arrow(canvas, routeX + widthOf(route) - 1, forwardX, low + 1);
  arrow(canvas, forwardX + widthOf(forward) - 1, postX, low + 1);
  arrow(canvas, postX + widthOf(post) - 1, postX + widthOf(post) + TAIL, low + 1);
  canvas.put(preX, low + lowHeight, 'from a device', 'quiet');
  canvas.put(postX, low + lowHeight, 'to a device', 'quiet');
  return canvas.lines(style);
}

function widthOf({ title, lines }: Stop): number {
  return Math.max(cells(title), ...lines.map(cells)) + FRAME;
}

function drawStop(canvas: Canvas, stop: Stop, x: number, y: number, height: number): void {
  canvas.box(x, y, widthOf(stop), height);
  canvas.put(x + 2, y + 1, stop.title, stop.ink);
  for (const [i, line] of stop.lines.entries()) canvas.put(x + 2, y + 2 + i, line, stop.ink === 'bad' ? 'bad' : 'plain');
}

/** A line from the lower edge of one box to the upper edge of another, with its head at one end. */
function join(canvas: Canvas, x: number, from: number, to: number, head: '▲' | '▼'): void {
  canvas.put(x, from, head === '▲' ? '▲' : '┬', 'frame');
  canvas.down(x, from + 1, to - from - 1);
  canvas.put(x, to, head === '▲' ? '┴' : '▼', 'frame');
}

function arrow(canvas: Canvas, from: number, to: number, y: number): void {
  canvas.put(from, y, from === 0 ? '─' : '├', 'frame');
  canvas.across(from + 1, y, to - from - 1);
  canvas.put(to - 1, y, '►', 'frame');
}

function forwardStop(stop: Stop, { forwarding }: TopologyDetail): Stop {
  return forwarding ? stop : { title: stop.title, lines: ['off:', 'ip_forward=0'], ink: 'bad' };
}

/** "nat 1+11": rules of the base chain, and of the chains behind it. */
function tableLines({ hooks }: TopologyDetail, hook: HookName): readonly string[] {
  const chains = hooks.find((candidate) => candidate.hook === hook)?.chains ?? [];
  const shown = chains.filter(hasSay);
  if (shown.length === 0) return ['no rules'];
  const drops = shown.some(({ policy }) => policy === 'DROP');
  return [...new Set(shown.map(tableName))].map((name) => sumOf(name, shown)).concat(drops ? ['else DROP'] : []);
}

/** An empty chain that lets everything through says nothing. */
export function hasSay({ rules, policy }: TopologyChain): boolean {
  return rules > 0 || policy === 'DROP';
}

/** Short, for a narrow box: of nftables' chains without the hook that they are named for. */
function tableName({ kind, table, chain }: TopologyChain): string {
  switch (kind) {
    case 'ipvs':
      return 'ipvs';
    case 'nftables':
      return `nft ${(chain ?? '').replace(/-?(pre|post)routing|-?(in|out)put|-?forward/, '').replace(/^-/, '') || chain}`;
    case 'iptables':
      return table ?? '';
    case 'iptables-legacy':
      return `${table} (legacy)`;
  }
}

/** Both IP families together. */
function sumOf(name: string, chains: readonly TopologyChain[]): string {
  const own = chains.filter((chain) => tableName(chain) === name);
  const rules = own.reduce((sum, chain) => sum + chain.rules, 0);
  const behind = own.reduce((sum, chain) => sum + chain.behind, 0);
  return `${name} ${rules}${behind === 0 ? '' : `+${behindText(behind)}`}`;
}
