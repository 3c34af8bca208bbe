import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { traceConnection } from '../../src/usecase/trace.ts';
import type { TraceEvent } from '../../src/trace/event.ts';

const CLUSTER = `
cni: weave
nodes:
  - { name: a, ip: 192.168.0.11 }
  - { name: b, ip: 192.168.0.12 }
  - { name: c, ip: 192.168.0.13 }
pods:
  - { name: client, node: a }
  - { name: web, node: b, ports: [8080] }
  - { name: other, node: c, ports: [8080] }
`;

interface Walked {
  readonly verdict: string;
  readonly request: readonly TraceEvent[];
}

function walk(check: string, more = ''): Walked {
  const text = `${CLUSTER}${more}checks:\n  - { name: it, ${check}, expect: { verdict: connected } }\n`;
  const loaded = loadScenario([{ name: 'scenario.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const asked = loaded.scenario.checks[0]!;
  const options = { before: asked.before, coldNeighbours: asked.coldNeighbours, noReply: true };
  const traced = traceConnection(loaded.scenario, asked, options, engine);
  if (!traced.ok) throw new Error(traced.diagnostics.map((d) => d.message).join('\n'));
  const [outcome] = traced.trace.outcomes;
  return { verdict: outcome!.verdict, request: outcome!.request };
}

const tunnels = ({ request }: Walked): string[] =>
  request.flatMap((event) => (event.kind === 'encapsulate' ? [`${event.host} > ${event.remote}`] : []));

describe('a link that goes over a tunnel', () => {
  test('no router is on the way: a TTL of 1 will do, and the client’s frame is for the server’s own MAC', () => {
    const walked = walk('from: pod/client, to: pod/web:8080, ttl: 1');
    const macs = walked.request.flatMap((event) =>
      (event.kind === 'tx' || event.kind === 'rx') && !event.outer ? [event.dstMac] : [],
    );
    expect(walked.verdict).toBe('connected');
    expect(new Set(macs).size).toBe(1);
    expect(walked.request.filter((event) => event.kind === 'route' && event.host.startsWith('node/') && !event.outer)).toEqual(
      [],
    );
  });

  test('a known MAC is behind one VTEP', () => {
    expect(tunnels(walk('from: pod/client, to: pod/web:8080'))).toEqual(['node/a > 192.168.0.12']);
  });

  test('the first question for an address teaches both ends, so that the frame behind it is not flooded', () => {
    const walked = walk('from: pod/client, to: pod/web:8080, coldNeighbours: true');
    expect(walked.verdict).toBe('connected');
    expect(tunnels(walked)).toEqual(['node/a > 192.168.0.12']);
    expect(walked.request.filter((event) => event.kind === 'bridge' && event.action === 'flood')).toEqual([]);
  });

  test('a frame for a MAC that nobody knows goes to all VTEPs, the first one last', () => {
    // The pod takes the address of a MAC that no device has.
    const nobody = `  - { name: deaf, node: a, commands: ['ip neigh replace 10.40.0.2 lladdr 02:00:00:00:00:99 dev eth0 nud permanent'] }\n`;
    expect(tunnels(walk('from: pod/deaf, to: 10.40.0.2:8080', nobody))).toEqual([
      'node/a > 192.168.0.13',
      'node/a > 192.168.0.12',
    ]);
  });

  test.each([
    ['the tunnel’s packets are lost on the way there', 'node/a, to: node/b'],
    ['the answers are lost on the way back', 'node/b, to: node/a'],
  ])('nobody answers where %s', (_, way) => {
    const firewall = `underlay: { firewall: [{ drop: udp/6784, from: ${way} }] }\n`;
    expect(walk('from: pod/client, to: pod/web:8080, coldNeighbours: true', firewall).verdict).toBe('host-unreachable');
    expect(walk('from: pod/client, to: pod/other:8080, coldNeighbours: true', firewall).verdict).toBe('connected');
  });

  test('outer packets must not be cut', () => {
    const walked = walk('from: pod/client, to: pod/web:8080');
    const outer = walked.request.filter((event) => event.outer && event.packet);
    expect(outer.length).toBeGreaterThan(0);
    expect(outer.every((event) => event.packet?.df === true)).toBe(true);
  });
});
