import type { Mapping } from './container.ts';
import { isList, isMapping } from './container.ts';

/** A JSON list of objects whose items are still text. */
export interface JsonList {
  /** The list itself, without its items. */
  readonly head: Mapping;
  /** Offsets at which the items begin and end, in turn. */
  readonly bounds: readonly number[];
}

const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/**
 * Where the items of a list stand (`{"kind": "List", "items": [{...}, ...]}`, as kubectl prints it), so that they can be parsed one
 * after the other: a large dump is then never in memory as a whole, which takes longer to build than all the rest. null for any
 * other text. The items are not checked; if each of them is JSON, so is the text.
 */
export function findJsonList(text: string): JsonList | null {
  const opening = /^[ \t\r\n]*\{[^[{]*?"items"\s*:\s*\[\s*(?=\{)/.exec(text);
  if (opening === null) return null;
  const first = opening[0].length;
  const bounds: number[] = [];
  let at = first;
  for (;;) {
    const end = endOfValue(text, at);
    if (end === null) return null;
    bounds.push(at, end);
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) !== COMMA) break;
    at = skipBlanks(text, at + 1);
    if (text.charCodeAt(at) !== OPENING_BRACE) return null;
  }
  const head = headOf(text.slice(0, first), text.slice(at));
  return head === null ? null : { head, bounds };
}

/** What stands around the items, if they are the value of its own "items" and nothing else. */
function headOf(before: string, after: string): Mapping | null {
  const mark = '\u0000items';
  try {
    const whole: unknown = JSON.parse(`${before}${JSON.stringify(mark)}${after}`);
    if (!isMapping(whole) || !isList(whole.items)) return null;
    const { items, ...head } = whole;
    return whole.items.length === 1 && whole.items[0] === mark ? head : null;
  } catch {
    return null;
  }
}

/** The offset behind the object that begins at `start`; null when nothing ends it. Trusts that the text is JSON. */
function endOfValue(text: string, start: number): number | null {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        while (text.charCodeAt(++i) !== QUOTE) {
          if (i >= text.length) return null;
          if (text.charCodeAt(i) === BACKSLASH) i++;
        }
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        depth++;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (--depth === 0) return i + 1;
        break;
    }
  }
  return null;
}

/** JSON has four of them. */
function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
