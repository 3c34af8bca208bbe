import type { NftElement } from './ruleset.ts';

/** What may stand between an element's key and its data. */
const OPTION_WORDS: ReadonlySet<string> = new Set(['timeout', 'expires', 'counter', 'limit', 'quota']);

/** Reads the inside of `elements = { ... }`, or of an anonymous set or map in a rule. */
export function parseElements(text: string): readonly NftElement[] {
  return splitOutsideQuotes(text).map(parseElement);
}

function splitOutsideQuotes(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c === '"') quoted = !quoted;
    if (c !== undefined && (c !== ',' || quoted)) continue;
    const part = text.slice(start, i).trim();
    if (part !== '') parts.push(part);
    start = i + 1;
  }
  return parts;
}

function parseElement(text: string): NftElement {
  const words: readonly string[] = text.match(/"[^"]*"|\S+/g) ?? [];
  const colon = words.indexOf(':');
  const head = colon < 0 ? words : words.slice(0, colon);
  const commentAt = head.indexOf('comment');
  const optionAt = head.findIndex((word) => OPTION_WORDS.has(word));
  const end = commentAt < 0 ? head.length : commentAt;
  const keyEnd = optionAt < 0 ? end : optionAt;
  return {
    key: head.slice(0, keyEnd).join(' '),
    data: colon < 0 ? null : words.slice(colon + 1).join(' '),
    comment: commentAt < 0 ? null : head[commentAt + 1]!.slice(1, -1),
    options: optionAt < 0 ? [] : [head.slice(optionAt, end).join(' ')],
  };
}
