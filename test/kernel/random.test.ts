import { describe, expect, test } from 'vitest';
import { LAB_OBSTACLE, ROOT, WHY_SKIPPED } from '../support/kernel-lab.ts';
import { runCase, withoutRefused } from './fuzz/case.ts';
import { describeDifference } from './fuzz/describe.ts';
import { generateCase } from './fuzz/generate.ts';

/** A few clusters; `npm run fuzz:kernel -- --seeds A-B` runs as many as one likes and shrinks what differs. */
const SEEDS = [1, 2, 3, 4, 5, 6];
const PROBES = 20;

describe.skipIf(LAB_OBSTACLE !== null)(`random clusters: the kernel does what the simulation says${WHY_SKIPPED}`, () => {
  test.each(SEEDS)('seed %i', async (seed) => {
    const { draft } = withoutRefused(generateCase(seed, PROBES));
    const results = await runCase(draft, `k8snet-test${process.pid}`, ROOT);
    expect(results).toHaveLength(PROBES);
    expect(results.filter(({ agrees }) => !agrees).map(describeDifference)).toEqual([]);
  });
});
