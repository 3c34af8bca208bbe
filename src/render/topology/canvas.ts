import { finish } from '../style.ts';
import type { Style } from '../style.ts';

/** What a part of a picture is, which decides its colour. */
export type Ink = 'plain' | 'frame' | 'name' | 'device' | 'tunnel' | 'network' | 'quiet' | 'bad';

interface Cell {
  readonly char: string;
  readonly ink: Ink;
}

const BLANK: Cell = { char: ' ', ink: 'plain' };

/** A sheet of characters on which a picture is drawn; it grows as needed. Columns and rows count from 0. */
export class Canvas {
  readonly #rows: Cell[][] = [];

  /** Rows that have been drawn on. */
  get height(): number {
    return this.#rows.length;
  }

  /** Writes text, one character a cell; what was there is gone. */
  put(x: number, y: number, text: string, ink: Ink = 'plain'): void {
    const row = this.#row(y);
    let at = x;
    for (const char of text) {
      while (row.length < at) row.push(BLANK);
      row[at++] = { char, ink };
    }
  }

  /** A horizontal line over `width` cells. */
  across(x: number, y: number, width: number, char = '─', ink: Ink = 'frame'): void {
    if (width > 0) this.put(x, y, char.repeat(width), ink);
  }

  /** A vertical line over `height` cells. */
  down(x: number, y: number, height: number, char = '│', ink: Ink = 'frame'): void {
    for (let i = 0; i < height; i++) this.put(x, y + i, char, ink);
  }

  /** An empty frame with a title in its upper edge. */
  box(x: number, y: number, width: number, height: number, title = '', titleInk: Ink = 'name'): void {
    this.put(x, y, `┌${'─'.repeat(width - 2)}┐`, 'frame');
    this.down(x, y + 1, height - 2);
    this.down(x + width - 1, y + 1, height - 2);
    this.put(x, y + height - 1, `└${'─'.repeat(width - 2)}┘`, 'frame');
    if (title !== '') this.put(x + 2, y, ` ${cut(title, width - 6)} `, titleInk);
  }

  /** The picture as lines, without blanks at their ends. */
  lines(style: Style): readonly string[] {
    return this.#rows.map((row) => finish(paintRow(row, style), style));
  }

  #row(y: number): Cell[] {
    while (this.#rows.length <= y) this.#rows.push([]);
    return this.#rows[y]!;
  }
}

/** Text of at most `width` characters: what is longer ends in "…". */
export function cut(text: string, width: number): string {
  const chars = [...text];
  return chars.length <= width ? text : `${chars.slice(0, Math.max(width - 1, 0)).join('')}…`;
}

/** Cells that text takes. */
export function cells(text: string): number {
  return [...text].length;
}

/** The widest of some texts, in cells. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((max, text) => Math.max(max, cells(text)), 0);
}

function paintRow(row: readonly Cell[], style: Style): string {
  let end = row.length;
  while (end > 0 && row[end - 1]!.char === ' ') end--;
  let out = '';
  for (let at = 0; at < end; ) {
    const { ink } = row[at]!;
    let text = '';
    // Blanks have no colour: they belong to whatever stands before them.
    for (; at < end && (row[at]!.ink === ink || row[at]!.char === ' '); at++) text += row[at]!.char;
    out += paint(ink, style.ascii ? text.replaceAll('…', '~') : text, style);
  }
  return out;
}

function paint(ink: Ink, text: string, { chalk }: Style): string {
  switch (ink) {
    case 'plain':
      return text;
    case 'frame':
    case 'quiet':
      return chalk.dim(text);
    case 'name':
      return chalk.bold(text);
    case 'device':
      return chalk.cyan(text);
    case 'tunnel':
      return chalk.yellow(text);
    case 'network':
      return chalk.green(text);
    case 'bad':
      return chalk.red(text);
  }
}
