import type { Mapping } from './container.ts';
import { isList, isMapping } from './container.ts';

/** A JSON list of objects whose items are still text. */
export interface JsonList {
  /** The list itself, without its items. */
  readonly head: Mapping;
  /** Offsets at which the items begin and end, in turn: where they seem to, until {@link itemsOf} has parsed them. */
  readonly bounds: readonly number[];
}

/** An item of a list: its value, and the offsets at which its text begins and ends. */
export interface JsonItem {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
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
  const separator = separatorAfter(text, first);
  let at = first;
  for (;;) {
    const guess = separator === null ? -1 : text.indexOf(separator, at);
    const end = guess === -1 ? endOfValue(text, at) : guess + 1;
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

/**
 * The items of a list, parsed one after the other. No proper beginning of an object is JSON: so what parses ends where it seemed to, and
 * where an item doesn't, it is looked at character by character. Ends with a value of undefined when an item is not JSON.
 */
export function* itemsOf(text: string, { bounds }: JsonList): Generator<JsonItem> {
  for (let i = 0; i < bounds.length; i += 2) {
    const start = bounds[i]!;
    let end = bounds[i + 1]!;
    let value = parseJson(text.slice(start, end));
    if (value === undefined) {
      const found = endOfValue(text, start) ?? end;
      while (i + 2 < bounds.length && bounds[i + 1]! < found) i += 2;
      end = bounds[i + 1]!;
      value = end === found ? parseJson(text.slice(start, end)) : undefined;
    }
    yield { value, start, end };
    if (value === undefined) return;
  }
}

/** undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * What most likely stands between two items, from the end of one to the first key of the next: found by looking for that key where the
 * second item begins. Looking for this text is many times faster than reading every character. null: nothing to go by.
 */
function separatorAfter(text: string, first: number): string | null {
  const end = endOfValue(text, first);
  if (end === null) return null;
  const next = /^[ \t\r\n]*,[ \t\r\n]*\{[ \t\r\n]*"[^"\\]*"/.exec(text.slice(end, end + 1000));
  return next === null ? null : `}${next[0]}`;
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
