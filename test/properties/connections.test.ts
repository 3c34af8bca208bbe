import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KernelState } from '../../src/kernel/state.ts';
import { Choices } from '../../src/kernel/walk/choices.ts';
import { connect } from '../../src/kernel/walk/connection.ts';
import { compile } from '../../src/kubernetes/compile.ts';
import { parseIpv4 } from '../../src/net/ip.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import { VERDICTS } from '../../src/trace/outcome.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Probe } from '../../src/kubernetes/model/check.ts';
import type { Outcome } from '../../src/trace/outcome.ts';

const BACKENDS = ['flannel-vxlan', 'flannel-host-gw', 'flannel-ali-vpc'] as const;

const clusters = fc.record({
  cni: fc.constantFrom(...BACKENDS),
  pods: fc.array(fc.record({ node: fc.integer({ min: 1, max: 3 }), hostNetwork: fc.boolean(), web: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
  type: fc.constantFrom('ClusterIP', 'NodePort'),
  external: fc.constantFrom('Cluster', 'Local'),
  internal: fc.constantFrom('Cluster', 'Local'),
  bridgeNf: fc.constantFrom(0, 1),
  forward: fc.constantFrom(0, 1),
  policy: fc.constantFrom('ACCEPT', 'DROP'),
});

const probes = fc.record({
  from: fc.constantFrom('pod/client', 'node/n1', 'node/n2', 'external/near', 'external/far'),
  to: fc.constantFrom(
    'svc/web:80',
    'node/n1:30080',
    'node/n2:30080',
    '10.96.0.20',
    'pod/client:8080',
    '10.244.1.200:8080',
    '192.0.2.10:443',
  ),
  protocol: fc.constantFrom('tcp', 'udp', 'icmp'),
  ttl: fc.constantFrom(null, 1, 2, 64),
});

type ClusterInput = typeof clusters extends fc.Arbitrary<infer T> ? T : never;
type ProbeInput = typeof probes extends fc.Arbitrary<infer T> ? T : never;

function scenarioOf(input: ClusterInput): Scenario {
  const pods = input.pods.map(({ node, hostNetwork, web }, i) => ({
    name: `p${i}`,
    node: `n${node}`,
    hostNetwork,
    labels: { app: web ? 'web' : 'other' },
    ports: [8080 + i],
  }));
  const document = {
    cni: input.cni,
    nodes: [1, 2, 3].map((n) => ({
      name: `n${n}`,
      ip: `172.18.0.${n + 1}`,
      sysctls: {
        'net.bridge.bridge-nf-call-iptables': n === 1 ? input.bridgeNf : 1,
        'net.ipv4.ip_forward': n === 2 ? input.forward : 1,
      },
    })),
    pods: [{ name: 'client', node: 'n1', ports: [8080] }, ...pods],
    services: [
      {
        name: 'web',
        type: input.type,
        clusterIP: '10.96.0.20',
        selector: { app: 'web' },
        internalTrafficPolicy: input.internal,
        ...(input.type === 'NodePort' && { externalTrafficPolicy: input.external }),
        ports: [{ port: 80, targetPort: 8080, ...(input.type === 'NodePort' && { nodePort: 30080 }) }],
      },
    ],
    external: [
      { name: 'near', ip: '172.18.0.100', ports: [443] },
      { name: 'far', ip: '192.0.2.10', ports: [443] },
    ],
  };
  const loaded = loadScenario([{ name: 'random.yaml', text: JSON.stringify(document) }], { readFile: () => null });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.scenario;
}

function probeOf({ from, to, protocol, ttl }: ProbeInput): Probe {
  const target = protocol === 'icmp' ? (to === 'svc/web:80' ? '10.96.0.20' : to.replace(/:\d+$/, '')) : to;
  return {
    from,
    to: target,
    protocol: protocol as 'tcp' | 'udp' | 'icmp',
    sourcePort: 40000,
    sourceAddress: null,
    payload: null,
    dontFragment: null,
    ttl,
    backend: null,
    via: null,
  };
}

function outcomesOf(scenario: Scenario, probe: Probe): readonly Outcome[] | null {
  const result = traceConnection(scenario, probe, {}, engine);
  return result.ok ? result.trace.outcomes : null;
}

describe('every connection', () => {
  test('ends in outcomes whose probabilities add up to one, the same at every run', () => {
    fc.assert(
      fc.property(clusters, probes, (cluster, input) => {
        const scenario = scenarioOf(cluster);
        const outcomes = outcomesOf(scenario, probeOf(input));
        if (!outcomes) return;
        expect(outcomes.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1);
        for (const { verdict } of outcomes) expect(VERDICTS).toContain(verdict);
        expect(JSON.stringify(outcomesOf(scenarioOf(cluster), probeOf(input)))).toBe(JSON.stringify(outcomes));
      }),
      { numRuns: 150 },
    );
  });

  test('that is answered shows its client the address it asked for', () => {
    fc.assert(
      fc.property(clusters, probes, (cluster, input) => {
        for (const outcome of outcomesOf(scenarioOf(cluster), probeOf(input)) ?? []) {
          if (outcome.verdict !== 'connected') continue;
          const asked = outcome.request.find(({ kind }) => kind === 'socket')?.packet;
          const answer = outcome.reply.findLast(({ kind }) => kind === 'socket')?.packet;
          expect(answer).toMatchObject({ src: asked?.dst, dst: asked?.src });
          if (asked?.dport !== undefined) expect(answer).toMatchObject({ sport: asked.dport, dport: asked.sport });
        }
      }),
      { numRuns: 150 },
    );
  });

  test('ends alike whether events are recorded or not', () => {
    fc.assert(
      fc.property(clusters, fc.constantFrom('10.96.0.20', '172.18.0.2', '172.18.0.3', '10.244.1.3'), (cluster, destination) => {
        const compiled = compile(scenarioOf(cluster).cluster);
        if (!compiled.ok) throw new Error('refused');
        const [quiet, recorded] = [false, true].map((record) => {
          const request = {
            host: 'pod/default/client',
            owner: 'pod/default/client',
            protocol: 'tcp',
            destination: parseIpv4(destination)!,
            port: 80,
            sourcePort: 40000,
            sourceAddress: null,
            payload: null,
            dontFragment: null,
            ttl: null,
            noReply: false,
          } as const;
          const options = { world: compiled.world, state: new KernelState(), choices: new Choices(), record };
          const { verdict, server, source, losses } = connect(request, options);
          return { verdict, server, source, lost: losses.map(({ host, reason }) => `${host} ${reason}`) };
        });
        expect(quiet).toEqual(recorded);
      }),
      { numRuns: 100 },
    );
  });
});
