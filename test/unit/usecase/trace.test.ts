import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import type { Cluster } from '../../../src/kubernetes/model/cluster.ts';
import type { Engine } from '../../../src/usecase/laboratory.ts';
import { traceConnection, traceRepeated } from '../../../src/usecase/trace.ts';
import type { TraceOptions } from '../../../src/usecase/trace.ts';
import type { Trace } from '../../../src/trace/trace.ts';
import { cluster, emptyWorld, ip, probe, result } from './fixtures.ts';

function scenario(more: Partial<Cluster> = {}): Scenario {
  return { cluster: cluster(more), checks: [], steps: [], assumptions: ['flannel-vxlan is assumed'], diagnostics: [] };
}

/** Half of the connections reach web-1, half web-2; later connections of one state stay where the first went. */
const sticky: Engine = {
  compile: () => ({ ok: true, world: emptyWorld }),
  connect: (request, { choices, state }) => {
    const server = state.now > 0 ? state.now : choices.pick('statistic', [0.5, 0.5]) + 1;
    state.now = server;
    return result({ server: `pod/default/web-${server}`, local: { address: ip('10.244.0.2'), port: request.sourcePort ?? 0 } });
  },
};

function trace(options: TraceOptions = {}, engine = sticky, input = scenario()): Trace {
  const traced = traceConnection(input, probe('pod/client', 'svc/web'), options, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join());
  return traced.trace;
}

describe('traceConnection', () => {
  test('resolves the packet and names the network', () => {
    expect(trace()).toMatchObject({
      from: 'pod/default/client',
      to: 'svc/default/web:80',
      protocol: 'tcp',
      packet: { source: '10.244.0.2', sport: 40000, destination: '10.96.0.20', dport: 80 },
      network: { cni: 'flannel vxlan', proxyMode: 'iptables' },
      assumptions: ['flannel-vxlan is assumed'],
      sampled: false,
    });
  });

  test('shows every backend with its probability', () => {
    expect(trace().outcomes.map((o) => [o.server, o.probability])).toEqual([
      ['pod/default/web-1', 0.5],
      ['pod/default/web-2', 0.5],
    ]);
  });

  test('adds up branches that look the same', () => {
    const connect: Engine['connect'] = (_request, { choices }) => {
      choices.pick('hash', [0.25, 0.25, 0.5]);
      return result();
    };
    expect(trace({}, { ...sticky, connect }).outcomes.map((o) => o.probability)).toEqual([1]);
  });

  test('connections made before leave their state behind, from ports of their own', () => {
    const ports: (number | null)[] = [];
    const connect: Engine['connect'] = (request, options) => {
      ports.push(request.sourcePort);
      return sticky.connect(request, options);
    };
    const { outcomes } = trace({ before: [probe('pod/client', 'svc/web')] }, { ...sticky, connect });
    expect(outcomes.map((o) => o.server)).toEqual(['pod/default/web-1', 'pod/default/web-2']);
    expect(new Set(ports)).toEqual(new Set([40001, 40000]));
  });

  test('an unknown rule on the way leaves the verdict open', () => {
    const engine: Engine = { ...sticky, connect: () => result({ unknownRules: ['-A FORWARD -m geoip -j DROP (dump:7)'] }) };
    expect(trace({}, engine).outcomes[0]).toMatchObject({ verdict: 'unknown', cause: { code: 'unknown-rule' } });
  });

  test('says what is given but not modelled where it could matter', () => {
    const input = scenario({
      notModelled: [
        { kind: 'NetworkPolicy', namespace: 'default', name: 'deny-all' },
        { kind: 'NetworkPolicy', namespace: 'shop', name: 'other' },
      ],
    });
    expect(trace({}, sticky, input).notModelled).toEqual([
      'NetworkPolicy default/deny-all is not modelled (flannel itself enforces none)',
    ]);
  });

  test('--do adds commands, --proxy-mode replaces the mode', () => {
    let seen: Cluster | undefined;
    const compile: Engine['compile'] = (given) => {
      seen = given;
      return { ok: true, world: emptyWorld };
    };
    const commands = [
      { host: 'node-1', command: 'ip route del default' },
      { host: 'pod/web-1', command: 'ip link set eth0 down' },
      { host: 'underlay', command: 'sysctl -w net.ipv4.ip_forward=0' },
    ];
    trace({ commands, proxyMode: 'ipvs' }, { ...sticky, compile });
    expect(seen!.nodes[0]!.commands).toEqual([{ text: 'ip route del default', position: null }]);
    expect(seen!.pods[1]!.commands).toHaveLength(1);
    expect(seen!.underlay.commands).toHaveLength(1);
    expect(seen!.kubeProxy.mode).toBe('ipvs');
  });

  test.each([
    [
      { commands: [{ host: 'node-9', command: 'ip route' }] },
      sticky,
      'no host "node-9" to run "ip route" on; name a node, pod/NAME, external/NAME or underlay',
    ],
    [{}, { ...sticky, compile: () => ({ ok: false as const, problems: [{ message: 'ip: bad', position: null }] }) }, 'ip: bad'],
  ])('fails with a diagnostic (%#)', (options, engine, message) => {
    const traced = traceConnection(scenario(), probe('pod/client', 'svc/web'), options, engine);
    expect(traced.ok ? [] : traced.diagnostics.map((d) => d.message)).toEqual([message]);
  });
});

describe('traceRepeated', () => {
  test('goes on over the state of the likeliest outcome and says so', () => {
    const repeated = traceRepeated(scenario(), probe('pod/client', 'svc/web'), 3, {}, sticky);
    if (!repeated.ok) throw new Error('refused');
    const { items } = repeated.traces;
    expect(items.map((t) => t.outcomes.map((o) => o.server))).toEqual([
      ['pod/default/web-1', 'pod/default/web-2'],
      ['pod/default/web-1'],
      ['pod/default/web-1'],
    ]);
    expect(items.map((t) => t.packet?.sport)).toEqual([40000, 40001, 40002]);
    expect(items[1]!.assumptions).toContain('connection 1 is taken to have ended with pod/default/web-1');
    expect(items[2]!.assumptions).toEqual(['flannel-vxlan is assumed']);
  });
});
