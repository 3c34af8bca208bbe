import type { ChalkInstance } from 'chalk';

/** How text output looks. Made by the command line from flags, environment and terminal. */
export interface Style {
  /** Colours, or none (level 0). */
  readonly chalk: ChalkInstance;
  /** Columns that prose is wrapped to; tables and rules are never cut. */
  readonly width: number;
  /** True: only ASCII may be printed. */
  readonly ascii: boolean;
}

const ASCII: Readonly<Record<string, string>> = {
  '→': '->',
  '⇒': '=>',
  '▼': 'v',
  '▲': '^',
  '·': '-',
  '…': '...',
  '│': '|',
  '├': '+',
  '┌': '+',
  '└': '+',
  '─': '-',
  '↳': '>',
  '✓': 'ok',
  '✗': 'X',
  '×': 'x',
  '≤': '<=',
  '┐': '+',
  '┘': '+',
  '┤': '+',
  '┬': '+',
  '┴': '+',
  '┼': '+',
  '═': '=',
  '║': '#',
  '╔': '#',
  '╚': '#',
  '╠': '#',
  '╦': '#',
  '╤': '+',
  '╧': '+',
  '╪': '+',
  '►': '>',
  '’': "'",
};

/** Finished text as this terminal can show it. */
export function finish(text: string, style: Style): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
  return style.ascii ? text.replace(/[^\x00-\x7f]/gu, (char) => ASCII[char] ?? '?') : text;
}

/** Prose broken at spaces into lines of at most `width` columns; a longer word keeps its line. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** "50 %", "33.3 %", "< 0.1 %". */
export function percent(probability: number): string {
  const value = Math.round(probability * 1000) / 10;
  if (value === 0 && probability > 0) return '< 0.1 %';
  return `${value} %`;
}
