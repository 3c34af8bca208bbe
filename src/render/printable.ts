/**
 * Characters that could act on a terminal or reorder a line: C0 and C1 controls, DEL, line and paragraph separators, bidirectional
 * overrides and isolates, invisible marks, and lone surrogates.
 */
const UNSAFE = new RegExp(
  [
    '[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]',
    '[\\ud800-\\udbff](?![\\udc00-\\udfff])',
    '(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  ].join('|'),
  'g',
);

/** All of them but line breaks. Only looked for: nearly always there is nothing to replace, and texts are large. */
const UNSAFE_IN_LINES = new RegExp(UNSAFE.source.replace('\\u0000-', '\\u0000-\\u0009\\u000b-'));

/** Text of foreign origin (names, comments, rule texts) made safe to print: each unsafe character becomes `\xHH` or `\uHHHH`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** {@link printable} for every string inside a plain value, keys included. The one place where traces and reports are made safe. */
export function printableDeep<T>(value: T): T {
  // Nearly always there is nothing to do, and a trace is large: look first.
  return isPrintable(value) ? value : (walk(value) as T);
}

/** In JSON text: an escape other than of a quote or a backslash, or an unsafe character that JSON leaves as it is. */
const UNSAFE_ESCAPED = new RegExp(`\\\\[^"\\\\]|${UNSAFE.source}`);

/** Much quicker to look for: nearly always a trace is plain ASCII. */
const UNUSUAL_ESCAPED = /[^ -~]|\\[^"\\]/;

/** False also for some text that is safe: a backslash before a letter. */
function isPrintable(value: unknown): boolean {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined || !UNUSUAL_ESCAPED.test(json) || !UNSAFE_ESCAPED.test(json);
}

function walk(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(walk);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [printable(key), walk(inner)]));
}

/** {@link printable} for text of several lines, whose line breaks stay, and tabs that indent a line. */
export function printableLines(text: string): string {
  if (!UNSAFE_IN_LINES.test(text)) return text;
  return text.replace(UNSAFE, (char, at: number) => (char === '\n' || isIndent(text, at) ? char : escaped(char)));
}

/** True for a tab with nothing but tabs before it on its line. */
function isIndent(text: string, at: number): boolean {
  let start = at;
  while (start >= 0 && text[start] === '\t') start--;
  return start < at && (start < 0 || text[start] === '\n');
}

/** JSON text in which unsafe characters that JSON.stringify leaves alone are written as \uHHHH: the same data, safe to print. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, unicodeEscape);
}

/** Line breaks are those of the layout: inside strings JSON has escaped them already. */
const UNSAFE_IN_JSON = new RegExp(UNSAFE.source.replace('\\u0000-\\u001f', '\\u0000-\\u0009\\u000b-\\u001f'), 'g');

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(char);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
