import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import { BEHAVIOURS, CLUSTER, MODES } from './service.ts';
import type { Outcome } from '../../src/trace/outcome.ts';
import type { Behaviour, BehaviourName, Expectation, Mode } from './service.ts';

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

function outcomes(mode: Mode, { check, commands = [] }: Behaviour): readonly Outcome[] {
  const text = `${CLUSTER(mode, commands)}checks:\n  - { name: it, ${check}, expect: { verdict: connected } }\n`;
  const loaded = loadScenario([{ name: 'scenario.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const asked = loaded.scenario.checks[0]!;
  const traced = traceConnection(loaded.scenario, asked, { before: asked.before, coldNeighbours: false }, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join('\n'));
  return traced.trace.outcomes;
}

function summary(found: readonly Outcome[]): Expectation {
  const cause = found.find((o) => o.cause !== null)?.cause?.code;
  return { outcomes: found.map((o) => [o.verdict, o.server, o.source, o.probability]), ...(cause && { cause }) };
}

describe.each(MODES.map((mode) => [mode.mode, mode.version, mode] as const))('kube-proxy in mode %s, %s', (_, __, mode) => {
  test.each(NAMES)('%s', (name) => {
    const behaviour: Behaviour = BEHAVIOURS[name];
    expect(summary(outcomes(mode, behaviour))).toEqual(mode.differences[name]?.expected ?? behaviour.expected);
  });

  test('differs only where it is said, and says why', () => {
    for (const [name, { expected, why }] of Object.entries(mode.differences)) {
      expect(expected, name).not.toEqual(BEHAVIOURS[name as BehaviourName].expected);
      expect(why.length, name).toBeGreaterThan(20);
    }
  });
});

test('the newest kube-proxy drops what goes to an address of the service range that no service has', () => {
  const nobody = { check: 'from: pod/client, to: 10.96.9.9:80', expected: { outcomes: [] } };
  const verdict = (version: string): string => outcomes({ mode: 'nftables', version, differences: {} }, nobody)[0]!.verdict;
  expect(verdict('1.36')).toBe('timeout');
  expect(verdict('1.30')).not.toBe('timeout');
});
