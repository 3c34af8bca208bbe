import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameData } from '../../../src/support/same-data.ts';

test('plain values are the same when their JSON is, whatever the order of their fields', () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(sameData(a, structuredClone(a))).toBe(true);
      expect(sameData(a, b)).toBe(sorted(a) === sorted(b));
    }),
  );
});

test.each([
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [{ a: [1, 2] }, { a: [1, 3] }, false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
])('%j and %j: %s', (a, b, same) => {
  expect(sameData(a, b)).toBe(same);
  expect(sameData(b, a)).toBe(same);
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
