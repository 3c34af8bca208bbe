import type { Style } from '../style.ts';
import type { Line, Tone } from './line.ts';

const LAYER_WIDTH = 3;
const GAP = '  ';

/** Widths that all lines of one trace share, so that its parts stand under each other. */
export interface Grid {
  readonly host: number;
  readonly place: number;
}

export function gridOf(lines: readonly Line[]): Grid {
  return { host: widest(lines.map((line) => line.host)), place: widest(lines.map((line) => line.place)) };
}

/** Lays lines out in columns: layer and host once for each station, the place once for each visit. */
export function layOut(lines: readonly Line[], grid: Grid, style: Style): readonly string[] {
  const columns = columnsOf(lines);
  return lines.flatMap((line, i) => {
    const before = lines[i - 1];
    const sameHost = before?.host === line.host;
    const samePlace = sameHost && before?.place === line.place;
    const { chalk } = style;
    const layer = before?.layer === line.layer && sameHost ? '' : line.layer;
    const head =
      chalk.dim(layer.padEnd(LAYER_WIDTH)) +
      chalk.bold((sameHost ? '' : line.host).padEnd(grid.host)) +
      GAP +
      chalk.cyan((samePlace ? '' : line.place).padEnd(grid.place)) +
      GAP;
    return body(line, columns[i]!, grid, style).map((text, n) => (n === 0 ? head : indent(grid)) + text);
  });
}

function indent(grid: Grid): string {
  return ' '.repeat(LAYER_WIDTH + grid.host + grid.place + 2 * GAP.length);
}

/** The text of a line, and what goes below it. */
function body(line: Line, { widths, note: noteColumn }: Columns, grid: Grid, style: Style): readonly string[] {
  const { chalk } = style;
  const padded = line.columns.map((text, c) => (c < line.columns.length - 1 ? text.padEnd(widths[c] ?? 0) : text));
  const main = padded.join(' ');
  const text = paint(line.tone, main, style);
  const below = (line.below ?? []).map((sentence) => chalk.dim(sentence));
  if (line.note === undefined) return [text, ...below];
  const room = style.width - indent(grid).length;
  // What stands behind a semicolon explains the explanation: it goes first where room is short.
  for (const note of [line.note, line.note.replace(/;.*/s, '')]) {
    const start = [noteColumn, main.length].find((column) => column + 3 + note.length <= room);
    if (start !== undefined) return [`${text}${' '.repeat(start - main.length)}   ${chalk.dim(note)}`, ...below];
  }
  return [text, `  ${chalk.dim(line.note)}`, ...below];
}

/** Where columns stand: the same for the neighbouring lines at one place of one host. */
interface Columns {
  readonly widths: readonly number[];
  /** Where notes begin. */
  readonly note: number;
}

/** The columns of each line. */
function columnsOf(lines: readonly Line[]): readonly Columns[] {
  const all: Columns[] = [];
  while (all.length < lines.length) {
    const { host, place } = lines[all.length]!;
    let end = all.length + 1;
    while (lines[end]?.host === host && lines[end]?.place === place) end++;
    const visit = lines.slice(all.length, end);
    const widths = columnWidths(visit);
    const note = visit.reduce((max, line) => (line.note === undefined ? max : Math.max(max, lineWidth(line, widths))), 0);
    for (let i = 0; i < visit.length; i++) all.push({ widths, note });
  }
  return all;
}

function columnWidths(group: readonly Line[]): readonly number[] {
  const count = group.reduce((max, line) => Math.max(max, line.columns.length), 0);
  return Array.from({ length: count }, (_, c) =>
    // The last column of a line never pushes the columns of another one.
    widest(group.filter((line) => c < line.columns.length - 1).map((line) => line.columns[c]!)),
  );
}

function lineWidth(line: Line, widths: readonly number[]): number {
  const last = line.columns.length - 1;
  return widths.slice(0, last).reduce((sum, width) => sum + width + 1, 0) + (line.columns[last]?.length ?? 0);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((max, text) => Math.max(max, text.length), 0);
}

function paint(tone: Tone, text: string, { chalk }: Style): string {
  switch (tone) {
    case 'plain':
      return text;
    case 'change':
      return chalk.yellow(text);
    case 'bad':
      return chalk.red(text);
    case 'good':
      return chalk.green(text);
    case 'quiet':
      return chalk.dim(text);
  }
}
