import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import { ROOT, scenarioOf } from '../support/kernel-lab.ts';

/** Verdicts of Linux 6.18 by scenario of test/kernel/ipv6 and check (`k8snet lab verify`). */
const MEASURED = JSON.parse(readFileSync(join(ROOT, 'test/golden/ipv6/verdicts.json'), 'utf8')) as Record<string, Record<string, string>>;

describe.each(Object.entries(MEASURED))('IPv6 as Linux was measured: %s', (name, verdicts) => {
  const scenario = scenarioOf(join(ROOT, 'test/kernel/ipv6', `${name}.yaml`));

  test.each(Object.entries(verdicts))('%s: %s', (wanted, verdict) => {
    const check = scenario.checks.find((candidate) => candidate.name === wanted);
    expect(check).toBeDefined();
    const traced = traceConnection(scenario, check!, { before: [], coldNeighbours: check!.coldNeighbours }, engine);
    if (!traced.ok) throw new Error(JSON.stringify(traced));
    expect(new Set(traced.trace.outcomes.map((outcome) => outcome.verdict))).toEqual(new Set([verdict]));
  });
});
