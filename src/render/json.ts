import { printableJson } from './printable.ts';

/** How deep a document is taken apart: a trace, its outcomes, an outcome; what holds one part's events is a piece. */
const DEPTH = 3;
/** And what holds several of them: a list of traces, the checks of a report. */
const DEPTH_OF_MANY = 5;

/** Any document of the public contract as JSON, two spaces deep. Ends with a line break. */
export function jsonText(document: object): string {
  return [...jsonParts(document)].join('');
}

/** The same piece by piece, for documents that are too large to hold their text. */
export function* jsonParts(document: object): Generator<string> {
  yield* partsOf(document, '', 'items' in document || 'checks' in document ? DEPTH_OF_MANY : DEPTH);
  yield '\n';
}

function* partsOf(value: unknown, indent: string, depth: number): Generator<string> {
  if (depth === 0 || value === null || typeof value !== 'object') {
    yield printableJson((JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${indent}`));
    return;
  }
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined || Array.isArray(value));
  if (entries.length === 0) {
    yield `${open}${close}`;
    return;
  }
  const deeper = `${indent}  `;
  let before = `${open}\n`;
  for (const [key, inner] of entries) {
    yield `${before}${deeper}${Array.isArray(value) ? '' : `${printableJson(JSON.stringify(key))}: `}`;
    yield* partsOf(inner, deeper, depth - 1);
    before = ',\n';
  }
  yield `\n${indent}${close}`;
}
