import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LAB_OBSTACLE, ROOT, WHY_SKIPPED, scenarioOf, verifyChecks } from '../support/kernel-lab.ts';
import { describeDifference } from './fuzz/describe.ts';

const FOLDER = join(ROOT, 'test/kernel/ipv6');

describe.skipIf(LAB_OBSTACLE !== null)(`the kernel does with IPv6 what is simulated${WHY_SKIPPED}`, () => {
  test.each(readdirSync(FOLDER).sort())('%s', async (name) => {
    const scenario = scenarioOf(join(FOLDER, name));
    const results = await verifyChecks(scenario, scenario.checks);
    expect(results).toHaveLength(scenario.checks.length);
    expect(results.filter(({ agrees }) => !agrees).map(describeDifference)).toEqual([]);
  });
});
