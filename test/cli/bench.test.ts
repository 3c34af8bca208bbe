import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';

/** Breakage only: what is slow on a test machine says nothing. */
describe('the benchmark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'k8snet-bench-test-'));
  const report = join(folder, 'report.json');
  let output = '';
  beforeAll(() => {
    const args = ['scripts/bench.mjs', '--size', 'tiny', '--runs', '1', '--json', report];
    output = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('measures every item and prints a table', () => {
    const { rows, growth } = JSON.parse(readFileSync(report, 'utf8')) as {
      rows: readonly { item: number; what: string; value: number }[];
      growth: readonly { services: number; rules: number }[];
    };
    expect([...new Set(rows.map(({ item }) => item))]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rows.filter(({ value }) => !(value > 0))).toEqual([]);
    expect(growth.map(({ services }) => services)).toEqual([1, 10, 100, 1000]);
    expect(growth.filter(({ rules }) => !(rules > 0))).toEqual([]);
    for (const { what } of rows) expect(output).toContain(what);
  });

  it('publishes the table and the plot', () => {
    writeFileSync(join(folder, 'performance.md'), 'before\n<!-- table -->\nold\n<!-- end of table -->\nafter\n');
    execFileSync(process.execPath, ['scripts/bench-publish.mjs', report, folder]);
    const page = readFileSync(join(folder, 'performance.md'), 'utf8');
    expect(page).toMatch(
      /^before\n<!-- table -->\n[\s\S]*\| 2 \| k8snet rules, 100 services \|[\s\S]*<!-- end of table -->\nafter\n$/,
    );
    expect(page).not.toContain('old');
    expect(readFileSync(join(folder, 'performance.svg'), 'utf8')).toMatch(/^<svg [\s\S]*k8snet rules[\s\S]*<\/svg>\n$/);
  });
});

interface Inputs {
  readonly jsonList: (size: object, seed: number) => Iterable<string>;
  readonly yamlList: (size: object, seed: number) => Iterable<string>;
}

describe('the inputs of the benchmark', async () => {
  const script: string = fileURLToPath(new URL('../../scripts/bench/inputs.mjs', import.meta.url));
  const { jsonList, yamlList } = (await import(script)) as Inputs;
  const size = { nodes: 3, services: 4, endpoints: 2, withPods: true };
  const loaded = (name: string, pieces: Iterable<string>) =>
    loadScenario([{ name, text: [...pieces].join('') }], { readFile: () => null });

  it('are the same for the same seed', () => {
    expect([...jsonList(size, 1)]).toEqual([...jsonList(size, 1)]);
    expect([...jsonList(size, 1)]).not.toEqual([...jsonList(size, 2)]);
  });

  it('say the same as JSON and as YAML', () => {
    const [json, yaml] = [loaded('a.json', jsonList(size, 1)), loaded('a.json', yamlList(size, 1))];
    expect(json.ok).toBe(true);
    const bare = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, v: unknown) => (key === 'position' ? null : v)));
    expect(bare(json)).toEqual(bare(yaml));
  });
});
