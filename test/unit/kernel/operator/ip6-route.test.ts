import { describe, expect, test } from 'vitest';
import { compile } from '../../../../src/kubernetes/compile.ts';
import { scenarioOf, traceCheck } from '../../../support/ask.ts';
import { answer, routes, run } from './host-fixture.ts';
import type { Host } from '../../../../src/kernel/host.ts';

const SCENARIO = `
cni: flannel-host-gw
cluster: { podCIDR: ["10.244.0.0/16", "fd00:10:244::/56"] }
nodes:
  - { name: node-1, ip: [192.168.0.11, "fd00:192::11"] }
  - { name: node-2, ip: [192.168.0.12, "fd00:192::12"] }
  - { name: node-3, ip: [192.168.0.13, "fd00:192::13"] }
`;

function node(): Host {
  const compiled = compile(scenarioOf(SCENARIO).cluster);
  const host = compiled.ok ? compiled.world.host('node/node-1') : undefined;
  if (!host) throw new Error('does not compile');
  return host;
}

const BOTH = 'nexthop via fd00:192::12 nexthop via fd00:192::13';

/** The routes to fd00:77::/64 behind these command lines. */
function added(...lines: readonly string[]): readonly string[] {
  return routes(run(node(), ...lines)).filter((route) => route.startsWith('fd00:77::'));
}

describe('routes of IPv6 with several next hops', () => {
  test('are added at once (ip6_route_multipath_add)', () => {
    const [route, ...more] = added(`ip -6 route add fd00:77::/64 ${BOTH.replace('::13', '::13 dev eth0 weight 3')}`);
    expect(route).toMatch(/nexthop via fd00:192::12 dev eth0 weight 1\s+nexthop via fd00:192::13 dev eth0 weight 3/);
    expect(more).toEqual([]);
  });

  test('or one after the other (fib6_add_rt2node)', () => {
    const lines = ['ip -6 route add fd00:77::/64 via fd00:192::12', 'ip -6 route append fd00:77::/64 via fd00:192::13'];
    expect(added(...lines)).toEqual(added(`ip -6 route add fd00:77::/64 ${BOTH}`));
    expect(answer(node(), ...lines, lines[1]!)).toBe('RTNETLINK answers: File exists');
  });

  test.each([
    [`ip -6 route add fd00:77::/64 ${BOTH} rubbish`, 'Error: "nexthop" or end of line is expected instead of "rubbish"'],
    ['ip -6 route add fd00:77::/64 nexthop via fd00:99::1', 'RTNETLINK answers: No route to host'],
  ])('%s is refused', (line, message) => expect(answer(node(), line)).toBe(message));

  test('are branches of a walk, by weight (fib6_select_path)', () => {
    const scenario =
      scenarioOf(`${SCENARIO.replace('"fd00:192::11"] }', `"fd00:192::11"], commands: ["ip -6 route add fd00:77::/64 ${BOTH} weight 3"] }`)}
checks: [{ from: node/node-1, to: "[fd00:77::1]:80", protocol: tcp, expect: { verdict: timeout } }]
`);
    expect(
      traceCheck(scenario)
        .outcomes.map(({ probability }) => probability)
        .toSorted(),
    ).toEqual([0.25, 0.75]);
  });
});
