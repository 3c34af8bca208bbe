import { wrap } from '../style.ts';
import { widest } from './canvas.ts';
import type { Cable, HostRow } from './host-rows.ts';

/** The frame of the IP stack stands at the left of the host's box, and everything hangs on it. */
export const STACK_X = 2;
export const STACK_WIDTH = 11;
/** Where names of devices begin, of those on a bridge, and the lines below a device. */
export const DEVICE_X = STACK_X + STACK_WIDTH + 2;
export const PORT_X = DEVICE_X + 3;
/** Between the host's box and what stands beside it. */
export const GAP = 3;

const MIN_HOST = 43;
const MIN_SIDE = 28;

/** Columns of the host's box, and of what stands beside it. */
export interface Widths {
  readonly host: number;
  readonly side: number;
}

/** A row with its first line, and the first line that is free for the next row. */
export interface PlacedRow {
  readonly row: HostRow;
  readonly y: number;
  readonly end: number;
}

/** What each side would like to have, or a fair share of what there is. */
export function widthsOf(rows: readonly HostRow[], width: number): Widths {
  const room = width - GAP;
  const inside = rows.flatMap(({ name, text, below, hangs }) => [
    `${' '.repeat(hangs === 'bridge' ? PORT_X : DEVICE_X)}${name}  ${text}`,
    ...below.map((line) => ' '.repeat(PORT_X) + line),
  ]);
  const host = Math.max(widest(inside) + 4, MIN_HOST);
  const side = Math.max(MIN_SIDE, ...rows.map(({ cable }) => (cable === null ? 0 : wantedBy(cable))));
  if (host + side <= room) return { host, side };
  // Neither may take all: each gives what the other needs, as far as it has more than its least or its fair part.
  const forHost = Math.max(MIN_HOST, room - side, Math.floor(room * 0.55));
  const narrow = Math.min(host, forHost);
  return { host: narrow, side: Math.max(room - narrow, MIN_SIDE) };
}

function wantedBy(cable: Cable): number {
  return cable.to === 'pod' ? cable.box.wanted : widest(cable.rows.map(({ text }) => text)) + 4;
}

/** The same rows with their texts broken into lines that fit. */
export function wrapRows(rows: readonly HostRow[], { host, side }: Widths): readonly HostRow[] {
  return rows.map((row) => ({
    ...row,
    below: row.below.flatMap((line) => wrap(line, host - PORT_X - 2)),
    cable: row.cable === null ? null : wrapCable(row.cable, side),
  }));
}

function wrapCable(cable: Cable, side: number): Cable {
  if (cable.to === 'network' || !cable.box.framed) return cable;
  const { lines, ...box } = cable.box;
  return { to: 'pod', box: { ...box, lines: lines.flatMap((line, i) => (i === 0 ? [line] : wrap(line, side - 6))) } };
}

/** Stacks rows: each gets the lines that it takes inside the box, and those of what its cable leads to. */
export function placeRows(rows: readonly HostRow[]): readonly PlacedRow[] {
  const starts: number[] = [];
  let free = 2;
  let sideFree = 0;
  rows.forEach((row, i) => {
    const { cable, below } = row;
    const start = Math.max(free + (isApart(row, rows[i - 1]) ? 1 : 0), cable === null ? 0 : sideFree + edge(cable));
    starts.push(start);
    free = start + 1 + below.length;
    if (cable !== null) sideFree = start + heightOf(cable) + edge(cable);
  });
  const bottom = Math.max(free, sideFree);
  return rows.map((row, i) => ({ row, y: starts[i]!, end: starts[i + 1] ?? bottom }));
}

/** A blank line stands before each device on the stack; processes stand together. */
function isApart(row: HostRow, before: HostRow | undefined): boolean {
  return row.hangs === 'stack' && before !== undefined && !(row.ink === 'name' && before.ink === 'name');
}

/** Lines that a frame takes above and below what is in it. */
function edge(cable: Cable): number {
  return cable.to === 'pod' && cable.box.framed ? 1 : 0;
}

function heightOf(cable: Cable): number {
  return cable.to === 'pod' ? cable.box.lines.length : cable.rows.length;
}
