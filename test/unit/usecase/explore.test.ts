import { describe, expect, test } from 'vitest';
import { KernelState } from '../../../src/kernel/state.ts';
import { explore, inOrder } from '../../../src/usecase/explore.ts';
import type { Connect, PlannedConnection } from '../../../src/usecase/explore.ts';
import { emptyWorld, ip, request, result } from './fixtures.ts';

/** Picks one of `weights.length` servers s0, s1 ... and remembers in the clock how many connections were made. */
function balancer(...weights: readonly number[]): Connect {
  return (_request, { choices, state }) => {
    state.now += 1;
    return result({ server: `s${choices.pick('balance', weights)}` });
  };
}

function run(connect: Connect, connections: readonly PlannedConnection[], limit?: number) {
  return explore(inOrder(connections), {
    world: emptyWorld,
    state: new KernelState(),
    connect,
    ...(limit !== undefined && { limit }),
  });
}

const one: PlannedConnection = { request: request(), pin: null };
const pinnedTo = (name: string, address = '10.0.0.9'): PlannedConnection => ({
  request: request(),
  pin: { name, addresses: [ip(address)] },
});

function summary(exploration: ReturnType<typeof explore>): string[] {
  return exploration.branches.map(
    (b) => `${b.made.map((one) => one.result.server).join('>')} ${Number(b.probability.toFixed(4))}`,
  );
}

describe('explore', () => {
  test('walks every alternative with a weight, in order', () => {
    expect(summary(run(balancer(0.5, 0, 0.25, 0.25), [one]))).toEqual(['s0 0.5', 's2 0.25', 's3 0.25']);
  });

  test('follows decisions that only some branches come to', () => {
    const connect: Connect = (_request, { choices }) => {
      for (const [index, p] of [1 / 3, 1 / 2].entries())
        if (choices.pick('statistic', [p, 1 - p]) === 0) return result({ server: `s${index}` });
      return result({ server: 's2' });
    };
    expect(summary(run(connect, [one]))).toEqual(['s0 0.3333', 's1 0.3333', 's2 0.3333']);
  });

  test('makes earlier connections first and lets each branch keep its own state', () => {
    const exploration = run(balancer(0.5, 0.5), [one, one]);
    expect(summary(exploration)).toEqual(['s0>s0 0.25', 's0>s1 0.25', 's1>s0 0.25', 's1>s1 0.25']);
    expect(exploration.branches.map((b) => b.state.now)).toEqual([2, 2, 2, 2]);
  });

  test('a pin keeps only branches that reach its server, and probabilities add up to 1 again', () => {
    expect(summary(run(balancer(0.2, 0.8), [pinnedTo('s1'), one]))).toEqual(['s1>s0 0.2', 's1>s1 0.8']);
  });

  test('a pin counts where the last DNAT went when nobody answered', () => {
    const connect: Connect = (_request, { choices }) => {
      const dst = `10.0.0.${8 + choices.pick('balance', [0.5, 0.5])}`;
      const nat = { host: 'node/n', kind: 'nat', hook: 'PREROUTING', type: 'dnat', before: {}, after: { dst } } as const;
      return result({ verdict: 'timeout', server: null, request: [nat] });
    };
    expect(run(connect, [pinnedTo('pod/x', '10.0.0.9')]).branches.map((b) => b.probability)).toEqual([1]);
  });

  test('of very many alternatives that say where they lead, a pin leaves those that lead to its server', () => {
    const weights = Array.from({ length: 100 }, () => 0.01);
    const walked: number[] = [];
    const connect: Connect = (_request, { choices }) => {
      const picked = choices.pick('balance', weights, (to) => ip(`10.0.0.${to}`));
      walked.push(picked);
      return result({ server: `s${picked}` });
    };
    expect(summary(run(connect, [pinnedTo('s9')], 50))).toEqual(['s9 1']);
    expect([...new Set(walked)]).toEqual([0, 9]);
  });

  test('where none leads there, each is tried', () => {
    const weights = Array.from({ length: 100 }, () => 0.01);
    const connect: Connect = (_request, { choices }) => {
      const picked = choices.pick('balance', weights, () => ip('10.9.9.9'));
      return result({ server: `s${picked}` });
    };
    expect(summary(run(connect, [pinnedTo('s77')], 50))).toEqual(['s77 1']);
  });

  test('says which servers were reached when the pinned one was not', () => {
    const { branches, missedPin } = run(balancer(0.5, 0.5), [pinnedTo('s7')]);
    expect(branches).toEqual([]);
    expect(missedPin?.reached).toEqual(['s0', 's1']);
  });

  test('a pin without anything to choose has no effect and is told', () => {
    const { branches, idlePins } = run(() => result({ server: null, verdict: 'timeout' }), [pinnedTo('s7')]);
    expect(branches).toHaveLength(1);
    expect(idlePins.map((p) => p.name)).toEqual(['s7']);
  });

  test('samples evenly beyond the limit, the same at every run', () => {
    const connect = balancer(...Array.from({ length: 40 }, () => 1 / 40));
    const first = run(connect, [one], 20);
    expect(first.sampled).toBe(true);
    expect(new Set(first.branches.map((b) => b.made[0]!.result.server)).size).toBe(20);
    expect(first.branches.reduce((sum, b) => sum + b.probability, 0)).toBeCloseTo(1);
    expect(summary(run(connect, [one], 20))).toEqual(summary(first));
  });

  test('a sample draws heavy alternatives as often as they weigh', () => {
    const { branches } = run(balancer(0.7, ...Array.from({ length: 30 }, () => 0.01)), [one], 10);
    expect(branches.filter((b) => b.made[0]!.result.server === 's0')).toHaveLength(7);
  });
});
