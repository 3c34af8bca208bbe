import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonParts, jsonText } from '../../../src/render/json.ts';

test('a document in pieces is the document as JSON.stringify lays it out', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 9 }) as fc.Arbitrary<unknown>,
    fc.constantFrom(undefined, { a: undefined }, [undefined], [[], {}], { a: { b: { c: { d: { e: { f: { g: ['h'] } } } } } } }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.array(value), fc.dictionary(fc.string(), value)), (document) => {
      const text = jsonText(document);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
      expect(text.replaceAll(/\\u[0-9a-f]{4}/g, '?')).toBe(
        `${JSON.stringify(document, null, 2)}\n`
          .replaceAll(/\\u[0-9a-f]{4}/g, '?')
          .replaceAll(/[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '?'),
      );
    }),
    { numRuns: 300 },
  );
});

test('no piece holds more than one part of one outcome', () => {
  const events = Array.from({ length: 50 }, (_, i) => ({ kind: 'drop', host: `h${i}` }));
  const outcome = { verdict: 'timeout', request: events, reply: events, ack: events };
  const parts = [...jsonParts({ kind: 'TraceList', items: [{ kind: 'Trace', outcomes: [outcome, outcome] }] })];
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(JSON.stringify(events, null, 2).length * 2);
  expect(parts.join('')).toBe(jsonText({ kind: 'TraceList', items: [{ kind: 'Trace', outcomes: [outcome, outcome] }] }));
});
