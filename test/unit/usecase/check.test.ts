import { describe, expect, test } from 'vitest';
import type { Check, CheckExpectation } from '../../../src/kubernetes/model/check.ts';
import type { ProxyMode } from '../../../src/kubernetes/model/cluster.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { runChecks } from '../../../src/usecase/check.ts';
import type { Engine } from '../../../src/usecase/laboratory.ts';
import { cluster, emptyWorld, ip, probe, result } from './fixtures.ts';
import { drop, rule, tx } from './events.ts';

function check(expectation: CheckExpectation, more: Partial<Check> = {}): Check {
  return {
    ...probe('pod/client', 'svc/web'),
    name: 'a check',
    before: [],
    coldNeighbours: false,
    expect: expectation,
    position: null,
    ...more,
  };
}

function scenario(...checks: readonly Check[]): Scenario {
  return { cluster: cluster(), checks, steps: [], assumptions: [], diagnostics: [] };
}

/** web-1 or web-2 answers; what goes to port 81 is dropped by a rule. */
const engine: Engine = {
  compile: () => ({ ok: true, world: emptyWorld }),
  connect: (request, { choices }) => {
    if (request.port === 81) {
      const dropping = rule('node/node-1', 'FORWARD filter FORWARD 1', '-A FORWARD -j DROP', 'drop');
      const events = [dropping, drop('node/node-1', 'NETFILTER_DROP', 'nft_do_chain')];
      const losses = [{ part: 'request', event: 1, host: 'node/node-1', reason: 'NETFILTER_DROP' }] as const;
      return result({ verdict: 'timeout', server: null, source: null, request: events, losses });
    }
    const second = choices.pick('statistic default/web', [0.5, 0.5]) === 1;
    return result({
      server: second ? 'pod/default/web-2' : 'pod/default/web-1',
      source: { address: ip('10.244.0.2'), port: request.sourcePort ?? 0 },
      request: [tx('pod/default/client', 'eth0'), ...(second ? [tx('node/node-1', 'flannel.1')] : [])],
    });
  },
};

function run(...checks: readonly Check[]) {
  return runChecks(scenario(...checks), {}, engine);
}

describe('runChecks', () => {
  test.each<[CheckExpectation, boolean]>([
    [{}, true],
    [{ verdict: 'connected' }, true],
    [{ verdict: 'timeout' }, false],
    [{ server: 'pod/web-1' }, false],
    [{ servers: ['pod/web-2', 'pod/default/web-1'] }, true],
    [{ servers: ['pod/web-2'] }, false],
    [{ servers: [] }, false],
    [{ server: null }, false],
    [{ source: '10.244.0.2' }, true],
    [{ source: '10.244.0.3' }, false],
    [{ through: ['pod/client', 'eth0'] }, true],
    [{ through: ['flannel.1'] }, false],
    [{ notThrough: ['flannel.1'] }, false],
    [{ notThrough: ['node/node-9'] }, true],
    [{ cause: 'rule-drop' }, false],
  ])('%j is %s', (expectation, ok) => {
    expect(run(check(expectation)).checks[0]!.ok).toBe(ok);
  });

  test('a pinned check sees one server only', () => {
    expect(run(check({ server: 'pod/web-2', through: ['node-1 flannel.1'] }, { backend: 'pod/web-2' })).checks[0]!.ok).toBe(true);
  });

  test.each<[CheckExpectation, boolean]>([
    [{ verdict: 'timeout', cause: 'rule-drop', servers: [] }, true],
    [{ verdict: 'timeout', server: null }, true],
    [{ through: ['FORWARD', 'filter FORWARD', '-A FORWARD -j DROP', 'node-1'] }, true],
    [{ cause: 'policy-drop' }, false],
  ])('of a dropped connection %j is %s', (expectation, ok) => {
    expect(run(check(expectation, { to: 'svc/web:81' })).checks[0]!.ok).toBe(ok);
  });

  test('counts, and says what was expected and found', () => {
    const report = run(check({ verdict: 'connected' }), check({ verdict: 'refused' }));
    expect([report.passed, report.failed]).toEqual([1, 1]);
    expect(report.checks[1]!.expectations).toEqual([{ name: 'verdict', ok: false, expected: 'refused', actual: 'connected' }]);
  });

  test.each([
    [check({}, { from: 'pod/clent' }), 'no pod "default/clent"; did you mean default/client?'],
    [check({}, { before: [probe('pod/client', 'svc/wbe')] }), 'before 1: no service "default/wbe"; did you mean default/web?'],
    [
      check({}, { backend: 'pod/client' }),
      'backend pod/default/client: the choice never falls on it; it falls on pod/default/web-1, pod/default/web-2',
    ],
    [check({ server: 'web/x/y/z' }), 'expect: unknown kind "web" in "web/x/y/z"; a pod is written pod/web/x/y/z'],
  ])('a check that cannot be run fails with the reason (%#)', (broken, error) => {
    expect(run(broken).checks[0]).toMatchObject({ ok: false, error });
  });

  test('a cold check compiles a cold world, once for all of them', () => {
    const compiled: (boolean | undefined)[] = [];
    const counting: Engine = {
      ...engine,
      compile: (_cluster, options) => {
        compiled.push(options.coldNeighbours);
        return { ok: true, world: emptyWorld };
      },
    };
    const cold = check({}, { coldNeighbours: true });
    runChecks(scenario(check({}), cold, check({}), cold), {}, counting);
    expect(compiled).toEqual([false, true]);
  });
});

describe('without events', () => {
  const asked = scenario(check({ verdict: 'timeout', cause: 'rule-drop', through: ['filter/FORWARD'] }, { to: 'pod/web-1:81' }));

  test('a report says the same, and holds none', () => {
    const full = runChecks(asked, {}, engine);
    const short = runChecks(asked, { events: false }, engine);
    expect(full.checks[0]!.outcomes[0]!.request.length).toBeGreaterThan(0);
    const outcomes = full.checks[0]!.outcomes.map((outcome) => ({ ...outcome, request: [], reply: [], ack: [] }));
    expect(short).toEqual({ ...full, checks: [{ ...full.checks[0]!, outcomes }] });
  });
});

test.each<[asked: ProxyMode | undefined, own: ProxyMode | undefined, mode: ProxyMode]>([
  [undefined, undefined, 'iptables'],
  [undefined, 'ipvs', 'ipvs'],
  ['nftables', undefined, 'nftables'],
  // The command line goes before the check, as for a trace.
  ['nftables', 'ipvs', 'nftables'],
])('asked for mode %s, a check of its own mode %s runs in mode %s', (asked, own, mode) => {
  const modes: ProxyMode[] = [];
  const watching: Engine = {
    ...engine,
    compile: (given, options) => {
      modes.push(given.kubeProxy.mode);
      return engine.compile(given, options);
    },
  };
  const one = check({ verdict: 'connected' }, own === undefined ? {} : { proxyMode: own });
  runChecks(scenario(one), asked === undefined ? {} : { proxyMode: asked }, watching);
  expect(modes[0]).toBe(mode);
});
