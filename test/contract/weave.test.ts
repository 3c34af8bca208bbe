import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import { BEHAVIOURS, CLUSTER, MODES } from './service.ts';
import type { Outcome } from '../../src/trace/outcome.ts';
import type { Behaviour, BehaviourName, Difference, Expectation, Mode } from './service.ts';

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

/** All modes of which a service's users can expect the same on every network, but IPVS before 1.26, which differs in one detail only. */
const ON_WEAVE = MODES.filter(({ version }) => version !== '1.25' && version !== '1.36');

/** Where Weave Net rightly does something else than flannel. */
const DIFFERENCES: Readonly<Partial<Record<BehaviourName, Difference>>> = {
  'a closed FORWARD does': {
    expected: { outcomes: [['connected', 'pod/default/web-1', '10.244.0.2', 1]] },
    why: 'what no policy forbids is accepted by WEAVE-NPC, whatever the policy of FORWARD is',
  },
};

/** Weave Net's rules stand first in FORWARD, and let out what pods send before kube-proxy's may refuse it. */
const OUT_BEFORE_REFUSED: Readonly<Partial<Record<BehaviourName, Expectation>>> = {
  'a service without endpoints refuses': { outcomes: [['network-unreachable', null, null, 1]], cause: 'no-endpoints' },
  'internalTrafficPolicy Local drops where no endpoint is': {
    outcomes: [['network-unreachable', null, null, 1]],
    cause: 'no-local-endpoints',
  },
};

/** Without a tunnel end of its own, what is masqueraded towards another node gets the address of the bridge like all else. */
function onWeave({ outcomes, cause }: Expectation): Expectation {
  const moved = outcomes.map(
    ([verdict, server, source, p]) => [verdict, server, source === '10.244.0.0' ? '10.244.0.1' : source, p] as const,
  );
  return { outcomes: moved, ...(cause && { cause }) };
}

function outcomesOf(mode: Mode, { check, commands = [] }: Behaviour): readonly Outcome[] {
  const applicable = commands.filter((command) => !command.includes('FLANNEL'));
  const text = `cni: weave\n${CLUSTER(mode, applicable)}checks:\n  - { name: it, ${check}, expect: { verdict: connected } }\n`;
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

describe.each(ON_WEAVE.map((mode) => [mode.mode, mode] as const))('services on Weave Net, kube-proxy in mode %s', (_, mode) => {
  test.each(NAMES)('%s', (name) => {
    const behaviour: Behaviour = BEHAVIOURS[name];
    const ofMode = mode.differences[name]?.expected ?? behaviour.expected;
    const differs = DIFFERENCES[name]?.expected ?? (mode.mode === 'iptables' ? OUT_BEFORE_REFUSED[name] : undefined);
    expect(summary(outcomesOf(mode, behaviour))).toEqual(differs ?? onWeave(ofMode));
  });
});
