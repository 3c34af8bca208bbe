import { Chalk } from 'chalk';
import type { Style } from '../render/style.ts';
import type { Io } from './io.ts';

export type ColourChoice = 'auto' | 'always' | 'never';

/** Width of lines when stdout is no terminal: wide, because files and pipes don't wrap, and always the same. */
const DEFAULT_WIDTH = 140;
const MIN_WIDTH = 40;

/** How text on stdout looks: colours, width, character set. */
export function outputStyle(io: Io, colour: ColourChoice | undefined): Style {
  return {
    chalk: new Chalk({ level: wantsColour(io, colour ?? 'auto', io.stdoutIsTerminal) ? 1 : 0 }),
    width: width(io),
    ascii: !speaksUtf8(io),
  };
}

/** How messages on stderr look. */
export function errorStyle(io: Io): Style {
  return {
    chalk: new Chalk({ level: wantsColour(io, 'auto', io.stderrIsTerminal) ? 1 : 0 }),
    width: width(io),
    ascii: !speaksUtf8(io),
  };
}

/** The flag wins, then NO_COLOR (no-color.org: any non-empty value), then FORCE_COLOR (0 or false: off), then the terminal. */
function wantsColour(io: Io, choice: ColourChoice, terminal: boolean): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (io.env.NO_COLOR) return false;
  const force = io.env.FORCE_COLOR;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return terminal && io.env.TERM !== 'dumb';
}

/** COLUMNS wins over the terminal, as in other tools; silly values are ignored. */
function width(io: Io): number {
  const asked = Number(io.env.COLUMNS);
  if (Number.isInteger(asked) && asked > 0) return Math.max(asked, MIN_WIDTH);
  return io.stdoutIsTerminal && io.columns ? Math.max(io.columns, MIN_WIDTH) : DEFAULT_WIDTH;
}

/**
 * Arrows need UTF-8. The locale says so (LC_ALL before LC_CTYPE before LANG, as in setlocale(3)); where none is set - containers, CI -
 * UTF-8 is taken for granted.
 */
function speaksUtf8(io: Io): boolean {
  const locale = io.env.LC_ALL || io.env.LC_CTYPE || io.env.LANG;
  return locale === undefined || locale === '' || /utf-?8/i.test(locale);
}
