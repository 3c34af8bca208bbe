import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LAB_OBSTACLE, ROOT, WHY_SKIPPED, requireLabInCi, scenarioOf, verifyChecks } from '../support/kernel-lab.ts';
import { describeDifference } from './fuzz/describe.ts';

/** Every how manieth case of a set is built here; test/golden/kernel.test.ts compares all of them with what was measured once. */
const SETS = [
  { name: 'kernel', every: 2 },
  { name: 'kernel-random', every: 8 },
];

requireLabInCi();

for (const { name: set, every } of SETS) {
  const root = join(ROOT, 'test/golden', set);
  const cases = existsSync(root) ? readdirSync(root).sort() : [];
  describe.skipIf(LAB_OBSTACLE !== null)(`the lab does what was measured: ${set}${WHY_SKIPPED}`, () => {
    for (const name of cases.filter((_, i) => i % every === 0)) {
      test(name, async () => {
        const scenario = scenarioOf(join(root, name, 'scenario.yaml'));
        const results = await verifyChecks(scenario, scenario.checks);
        expect(results.filter(({ agrees }) => !agrees).map(describeDifference)).toEqual([]);
      });
    }
  });
}

describe.skipIf(LAB_OBSTACLE !== null)(`the lab does what it taught before${WHY_SKIPPED}`, () => {
  const folder = join(ROOT, 'test/golden/found');
  test.each(readdirSync(folder))('%s', async (name) => {
    const scenario = scenarioOf(join(folder, name));
    const results = await verifyChecks(scenario, scenario.checks);
    expect(results.filter(({ agrees }) => !agrees).map(describeDifference)).toEqual([]);
  });
});
