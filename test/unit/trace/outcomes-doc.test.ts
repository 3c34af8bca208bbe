import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CAUSE_CODES, VERDICTS } from '../../../src/trace/outcome.ts';

const ROOT = join(import.meta.dirname, '../../..');
const doc = readFileSync(join(ROOT, 'docs/outcomes.md'), 'utf8');

/** Rows of the table below a heading, cells trimmed, without the head. */
function rows(heading: string): readonly (readonly string[])[] {
  const section = doc.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const table = section.split('\n').filter((line) => line.startsWith('|'));
  return table.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('docs/outcomes.md', () => {
  test.each([
    ['Verdicts', VERDICTS],
    ['Causes', CAUSE_CODES],
  ])('%s: a row for each, in order', (heading, all) => {
    expect(rows(heading).map(([name]) => name)).toEqual(all.map((name) => `\`${name}\``));
  });

  test('every scenario that it names shows the cause', () => {
    for (const [code, , scenario] of rows('Causes')) {
      if (scenario === '') continue;
      const text = readFileSync(join(ROOT, `scenarios/${scenario}.yaml`), 'utf8');
      expect(text, scenario).toMatch(new RegExp(`cause: ${code!.replaceAll('`', '')}\\b`));
    }
  });

  test('only what is not given yet has no scenario', () => {
    const without = rows('Causes').filter(([, , scenario]) => scenario === '');
    for (const [, what] of without) expect(what).toContain('not given yet');
    expect(without.map(([code]) => code)).toEqual(['`network-policy`']);
  });
});
