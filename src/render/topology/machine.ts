import { Canvas, cells, cut } from './canvas.ts';
import { hostRows } from './host-rows.ts';
import { DEVICE_X, GAP, PORT_X, STACK_WIDTH, STACK_X, placeRows, widthsOf, wrapRows } from './machine-layout.ts';
import { podBoxes } from './pod-box.ts';
import type { Topology, TopologyNode } from '../../trace/topology.ts';
import type { Style } from '../style.ts';
import type { Ink } from './canvas.ts';
import type { HostRow } from './host-rows.ts';
import type { PlacedRow, Widths } from './machine-layout.ts';
import type { NetworkRow } from './network-rows.ts';
import type { PodBox } from './pod-box.ts';

const STACK = ['IP', 'stack:', 'sockets', '5 hooks', 'routes'];

/** One machine: its own namespace, those of its pods, the cables between them, and the network that it hangs on. */
export function machinePicture(node: TopologyNode, topology: Topology, style: Style, width: number): readonly string[] {
  const rows = hostRows(node, topology, podBoxes(node));
  const widths = widthsOf(rows, width);
  const placed = placeRows(wrapRows(rows, widths));
  const bottom = Math.max(placed.at(-1)?.end ?? 0, STACK.length + 2) + 1;
  const canvas = new Canvas();
  canvas.box(0, 0, widths.host, bottom + 1, `${node.name}: namespace of the host`);
  canvas.box(STACK_X, 1, STACK_WIDTH, bottom - 1);
  for (const [i, word] of STACK.entries()) canvas.put(STACK_X + 2, 2 + i, word, i < 2 ? 'name' : 'quiet');
  for (const one of placed) {
    drawRow(canvas, one, widths.host);
    drawCable(canvas, one, widths);
  }
  return canvas.lines(style);
}

function drawRow(canvas: Canvas, { row, y, end }: PlacedRow, host: number): void {
  const { bus, name, ink, text, below } = row;
  const x = nameX(row);
  const room = host - x - 2;
  if (row.hangs === 'stack') canvas.put(STACK_X + STACK_WIDTH - 1, y, '├─', 'frame');
  else canvas.put(DEVICE_X, y, bus ? '├─' : '└─', 'frame');
  if (bus) canvas.down(DEVICE_X, y + 1, end - y - 1);
  const shown = cut(name, room);
  canvas.put(x, y, shown, ink);
  if (text !== '') canvas.put(x + cells(shown) + 2, y, cut(text, Math.max(room - cells(shown) - 2, 0)));
  for (const [i, line] of below.entries()) canvas.put(PORT_X, y + 1 + i, cut(line, host - PORT_X - 2), 'quiet');
}

function nameX({ hangs }: HostRow): number {
  return hangs === 'stack' ? DEVICE_X : PORT_X;
}

/** From what is said of the device to the edge of the box, and on to the other end. */
function drawCable(canvas: Canvas, { row, y }: PlacedRow, { host, side }: Widths): void {
  const { cable, name, text } = row;
  if (cable === null) return;
  const network = cable.to === 'network';
  const ink: Ink = network ? 'network' : 'frame';
  const start = Math.min(nameX(row) + cells(name) + (text === '' ? 0 : cells(text) + 2) + 1, host - 1);
  const end = host + GAP;
  canvas.across(start, y, end - start, network ? '═' : '─', ink);
  canvas.put(host - 1, y, network ? '╪' : '┼', ink);
  if (cable.to === 'pod') drawPod(canvas, cable.box, end, y, side);
  else drawNetwork(canvas, cable.rows, end, y, side);
}

function drawPod(canvas: Canvas, { framed, lines, title }: PodBox, x: number, y: number, width: number): void {
  if (!framed) {
    const shown = cut(title, width - 3);
    canvas.put(x, y, '┤', 'frame');
    canvas.put(x + 2, y, shown);
    canvas.put(x + 4 + cells(shown), y, cut(lines[0]!, Math.max(width - 4 - cells(shown), 0)));
    return;
  }
  canvas.box(x, y - 1, width, lines.length + 2, title);
  canvas.put(x, y, '┼─', 'frame');
  for (const [i, line] of lines.entries()) canvas.put(x + 3, y + i, cut(line, width - 5), i === 0 ? 'plain' : 'quiet');
}

function drawNetwork(canvas: Canvas, rows: readonly NetworkRow[], x: number, y: number, width: number): void {
  const last = rows.findLastIndex(({ text }) => !text.startsWith(' '));
  for (const [i, { text, ink }] of rows.entries()) {
    const line = i === 0 ? (last > 0 ? '╦═' : '══') : i > last ? '' : i === last ? '╚═' : text.startsWith(' ') ? '║' : '╠═';
    canvas.put(x, y + i, line, 'network');
    canvas.put(x + 3, y + i, cut(text, width - 3), ink);
  }
}
