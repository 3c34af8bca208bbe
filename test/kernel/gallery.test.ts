import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import { LAB_OBSTACLE, ROOT, WHY_SKIPPED, scenarioOf, verifyChecks } from '../support/kernel-lab.ts';
import { describeDifference } from './fuzz/describe.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { MoreCommands } from '../support/kernel-lab.ts';

const FOLDER = join(ROOT, 'scenarios');
/**
 * Scenarios that no lab can show: that the kernel lacks what a rule needs is what they are about; a dump's rules want objects of nfacct;
 * the lab speaks no SCTP.
 */
const NOT_BUILT = [
  '39-unknown-rule-broken.yaml',
  'reference-dump.yaml',
  'reference-nft-dump.yaml',
  'basics-23-sctp.yaml',
  // Its kube-proxy dials a second endpoint where the first fails: no process of the lab does that.
  'mode-userspace.yaml',
];
/** Modes of single checks that a lab does not have. */
const MODES_NOT_BUILT: readonly string[] = ['ipvs', 'userspace'];
/** Nor does a lab build virtual servers. */
const isBuilt = (name: string): boolean => !NOT_BUILT.includes(name) && !name.startsWith('mode-ipvs-');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && isBuilt(name));

/** The commands of a check's remedy; null when it has none, or one that is not made of commands on hosts. */
function remedyOf(scenario: Scenario, check: Scenario['checks'][number]): MoreCommands | null {
  const traced = traceConnection(scenario, check, { before: check.before, coldNeighbours: check.coldNeighbours }, engine);
  if (!traced.ok) return null;
  const remedy = traced.trace.outcomes.find(({ cause }) => cause !== null)?.cause?.remedy ?? [];
  const commands = remedy.map((line) => /^(?<command>.*?) {2}# on (?<host>\S+)$/.exec(line)?.groups);
  if (commands.length === 0 || commands.includes(undefined)) return null;
  return commands.map((groups) => ({ host: groups?.host ?? '', command: groups?.command ?? '' }));
}

describe.skipIf(LAB_OBSTACLE !== null)(`the kernel does what the gallery says${WHY_SKIPPED}`, () => {
  test.each(FILES)('%s', async (name) => {
    const scenario = scenarioOf(join(FOLDER, name));
    const checks = scenario.checks.filter(({ proxyMode }) => !MODES_NOT_BUILT.includes(proxyMode ?? ''));
    const results = await verifyChecks(scenario, checks);
    expect(results.filter(({ agrees }) => !agrees).map(describeDifference)).toEqual([]);
  });
});

describe.skipIf(LAB_OBSTACLE !== null)(`remedies mend what is broken${WHY_SKIPPED}`, () => {
  const broken = FILES.flatMap((name) => {
    const scenario = scenarioOf(join(FOLDER, name));
    return scenario.checks.flatMap((check) => {
      const remedy = remedyOf(scenario, check);
      return remedy === null ? [] : [{ name, check: check.name, scenario, wanted: check, remedy }];
    });
  });

  test('there are some', () => expect(broken.length).toBeGreaterThan(3));

  test.each(broken)('$name: $check', async ({ scenario, wanted, remedy }) => {
    const [before] = await verifyChecks(scenario, [wanted]);
    const [after] = await verifyChecks(scenario, [wanted], remedy);
    expect(before).toMatchObject({ agrees: true });
    expect(before?.verdict).not.toBe('connected');
    expect(after).toMatchObject({ agrees: true, verdict: 'connected' });
  });
});
