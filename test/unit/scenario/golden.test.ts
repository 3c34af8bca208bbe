import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import type { ReadFile } from '../../../src/scenario/scenario.ts';

const GOLDEN = join(import.meta.dirname, '../../golden');
const readFile: ReadFile = (path, relativeTo) => {
  const file = join(dirname(relativeTo), path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

/** Input files of all golden cases. */
const cases = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' })
  .filter((path) => /[\\/](scenario|input)\.yaml$/.test(path))
  .map((path) => join(GOLDEN, path));

describe('golden inputs', () => {
  test('there are some', () => {
    expect(cases.length).toBeGreaterThan(200);
  });

  test('load without errors', () => {
    const errors = cases.flatMap((name) => {
      const result = loadScenario([{ name, text: readFileSync(name, 'utf8') }], { readFile });
      return result.ok ? [] : result.diagnostics.map((d) => `${name}:${d.position?.line}: ${d.message}`);
    });
    expect(errors).toEqual([]);
  });

  test('load twice to the same', () => {
    for (const name of cases.slice(0, 20)) {
      const load = (): string =>
        JSON.stringify(loadScenario([{ name, text: readFileSync(name, 'utf8') }], { readFile }), (_, v: unknown) =>
          typeof v === 'bigint' ? String(v) : v,
        );
      expect(load()).toBe(load());
    }
  });
});
