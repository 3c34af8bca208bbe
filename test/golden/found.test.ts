import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { runChecks } from '../../src/usecase/check.ts';
import { engine } from '../../src/usecase/engine.ts';

const FOLDER = fileURLToPath(new URL('found', import.meta.url));

/** Differences from the kernel that random clusters have brought to light, each with the kernel's reason. */
describe('what the kernel taught', () => {
  test.each(readdirSync(FOLDER))('%s', (name) => {
    const loaded = loadScenario([{ name, text: readFileSync(join(FOLDER, name), 'utf8') }], { readFile: () => null });
    if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
    const report = runChecks(loaded.scenario, {}, engine);
    expect(report.checks.flatMap(({ error, expectations }) => [error, ...expectations.filter(({ ok }) => !ok)]).filter(Boolean)).toEqual([]);
    expect(report.passed).toBeGreaterThan(0);
  });
});
