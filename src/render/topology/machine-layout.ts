import { wrap } from '../style.ts';
import { cells, widest } from './canvas.ts';
import type { Cable, HostRow } from './host-rows.ts';
import type { NetworkRow } from './network-rows.ts';

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
/** Facts that are longer are broken even where there is room: a wide box with little in it is hard to read. */
const LONG_FACT = 40;

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

/** What a side takes: at least, for what can't be broken into lines, and at best. */
interface Wish {
  readonly least: number;
  readonly best: number;
}

/** Each side gets what it would like; where there is less, what can't be broken, and its part of the rest. */
export function widthsOf(rows: readonly HostRow[], width: number): Widths {
  const room = width - GAP;
  const host = wishOfHost(rows);
  const side = wishOfSide(rows);
  if (host.best + side.best <= room) return { host: host.best, side: side.best };
  const spare = room - host.least - side.least;
  if (spare < 0)
    return { host: Math.min(host.least, Math.max(MIN_HOST, room - side.least)), side: Math.max(room - host.least, MIN_SIDE) };
  const wanted = host.best - host.least + side.best - side.least;
  const forHost = host.least + Math.floor((spare * (host.best - host.least)) / wanted);
  return { host: forHost, side: room - forHost };
}

function wishOfHost(rows: readonly HostRow[]): Wish {
  const names = rows.map((row) => (row.hangs === 'bridge' ? PORT_X : DEVICE_X) + cells(row.name) + 2 + cells(row.text));
  const facts = rows.flatMap(({ below }) => below.map((line) => PORT_X + cells(line)));
  const least = Math.max(MIN_HOST, ...names.map((columns) => columns + 4));
  return { least, best: Math.max(least, Math.min(PORT_X + LONG_FACT, Math.max(...facts)) + 2) };
}

function wishOfSide(rows: readonly HostRow[]): Wish {
  const cables = rows.flatMap(({ cable }) => cable ?? []);
  const least = cables.map((cable) => (cable.to === 'pod' ? cable.box.least : networkWidth(cable.rows)));
  const best = cables.map((cable) => (cable.to === 'pod' ? cable.box.best : networkWidth(cable.rows)));
  return { least: Math.max(MIN_SIDE, ...least), best: Math.max(MIN_SIDE, ...best) };
}

function networkWidth(rows: readonly NetworkRow[]): number {
  return widest(rows.map(({ text }) => text)) + 3;
}

/** The same rows with their texts broken into lines that fit. */
export function wrapRows(rows: readonly HostRow[], { host, side }: Widths): readonly HostRow[] {
  return rows.map((row) => {
    const x = row.hangs === 'bridge' ? PORT_X : DEVICE_X;
    const fits = x + cells(row.name) + 2 + cells(row.text) + 2 <= host;
    const below = fits || row.text === '' ? row.below : [row.text, ...row.below];
    return {
      ...row,
      text: fits ? row.text : '',
      below: below.flatMap((line) => wrap(line, host - PORT_X - 2)),
      cable: row.cable === null ? null : wrapCable(row.cable, side),
    };
  });
}

function wrapCable(cable: Cable, side: number): Cable {
  if (cable.to === 'network' || !cable.box.framed) return cable;
  const { lines, ...box } = cable.box;
  return { to: 'pod', box: { ...box, lines: lines.flatMap((line, i) => (i === 0 ? [line] : wrap(line, side - 5))) } };
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
