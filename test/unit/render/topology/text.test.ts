import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { clusterText, nodeText } from '../../../../src/render/topology/text.ts';
import { plain } from '../plain-style.ts';
import { gallery, made, scenarioOf } from '../../usecase/topology-of.ts';
import type { Topology } from '../../../../src/trace/topology.ts';

/** Six hundred pods on twenty nodes. */
const MANY = scenarioOf(
  JSON.stringify({
    cluster: { podCIDR: '10.0.0.0/8' },
    nodes: Array.from({ length: 20 }, (_, i) => ({ name: `node-${i + 1}`, ip: `192.168.0.${i + 11}` })),
    pods: Array.from({ length: 600 }, (_, i) => ({
      name: `${i % 3 === 0 ? 'web' : 'a-deployment-with-a-rather-long-name'}-${i}`,
      namespace: i % 2 === 0 ? 'default' : 'monitoring',
      node: `node-${(i % 20) + 1}`,
      ports: [8080],
    })),
  }),
);

const whole = (name: string): Topology => made(gallery(name));
const node = (name: string, of: string): Topology => made(gallery(name), { node: of });

const LIMIT = { node: null, limit: { nodes: 6, detailed: 0 } };

/** Checked by eye: what stands in the files is what a newcomer should see. */
const PICTURES: readonly (readonly [string, (width: number) => string])[] = [
  ['tutorial', (width) => clusterText(whole('tutorial'), { ...plain, width })],
  ['tutorial-node-1', (width) => nodeText(node('tutorial', 'node-1'), { ...plain, width })],
  ['docker-host', (width) => nodeText(node('basics-21-docker', 'host'), { ...plain, width })],
  ['docker-hosts', (width) => clusterText(whole('basics-22-docker-hosts'), { ...plain, width })],
  ['dual-stack', (width) => clusterText(whole('dual-stack-01-both-families'), { ...plain, width })],
  ['dual-stack-node-1', (width) => nodeText(node('dual-stack-01-both-families', 'node-1'), { ...plain, width })],
  ['cloud-routes', (width) => clusterText(whole('basics-04-cloud-routes'), { ...plain, width })],
  ['two-networks-node-1', (width) => nodeText(node('17-rp-filter-broken', 'node-1'), { ...plain, width })],
  ['ipvs-node-1', (width) => nodeText(node('mode-ipvs-ping', 'node-1'), { ...plain, width })],
  ['dump-node-1', (width) => nodeText(node('39-unknown-rule-broken', 'node-1'), { ...plain, width })],
  ['many', (width) => clusterText(made(MANY, LIMIT), { ...plain, width })],
  ['many-node-3', (width) => nodeText(made(MANY, { node: 'node-3' }), { ...plain, width })],
];

describe.each(PICTURES)('%s', (name, draw) => {
  test.each([80, 120])('on %i columns', async (width) => {
    const text = draw(width);
    expect(text.split('\n').filter((line) => [...line].length > width)).toEqual([]);
    await expect(text).toMatchFileSnapshot(`pictures/${name}-${width}.txt`);
  });

  test('frames close', () => {
    // Every line of a frame's left edge is one of its right edge too.
    const text = draw(80);
    expect([...text.matchAll(/┌/g)]).toHaveLength([...text.matchAll(/┐/g)].length);
    expect([...text.matchAll(/└(?!─ )/g)].length).toBe([...text.matchAll(/┘/g)].length);
  });
});

test('colour takes nothing away and adds nothing but itself', () => {
  const coloured = { ...plain, chalk: new Chalk({ level: 1 }) };
  for (const draw of [clusterText, nodeText]) {
    const text = draw(whole('tutorial'), coloured);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
    const stripped = text.replace(/\u001b\[\d+m/g, '');
    expect(text).not.toBe(stripped);
    expect(stripped).toBe(draw(whole('tutorial'), plain));
  }
});

test('ASCII draws the same picture: each character has its place', () => {
  for (const [, draw] of [
    ['cluster', clusterText],
    ['node', nodeText],
  ] as const) {
    const picture = draw(made(MANY, LIMIT), { ...plain, width: 80 }).split('\n');
    const ascii = draw(made(MANY, LIMIT), { ...plain, width: 80, ascii: true }).split('\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
    expect(ascii.filter((line) => /[^\x00-\x7f]/.test(line))).toEqual([]);
    const inFrames = picture.flatMap((line, i) => (/[│┌└╔╠]/.test(line) ? [i] : []));
    for (const i of inFrames) expect(ascii[i]).toHaveLength([...picture[i]!].length);
  }
});

test('is never drawn narrower than it can be read', () => {
  expect(clusterText(whole('tutorial'), { ...plain, width: 40 })).toBe(clusterText(whole('tutorial'), { ...plain, width: 78 }));
});

test('names act on no terminal', () => {
  const topology = whole('tutorial');
  const hostile: Topology = {
    ...topology,
    nodes: topology.nodes.map((one) => ({
      ...one,
      name: 'a\u001b[2Jb\nc',
      pods: one.pods.map((pod) => ({ ...pod, containers: ['\u202eevil\r'] })),
    })),
  };
  for (const draw of [clusterText, nodeText]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
    expect(draw(hostile, plain)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(draw(hostile, plain)).toContain('a\\x1b[2Jb\\x0ac');
  }
});

describe('what is wrong shows', () => {
  const text = (yaml: string): string => nodeText(made(scenarioOf(yaml), { node: 'n' }), plain);

  test('a host that does not forward', () => {
    expect(text('nodes: [{ name: n, ip: 192.168.0.11, commands: [sysctl -w net.ipv4.ip_forward=0] }]')).toContain('ip_forward=0');
  });

  test('a device that is down, and a policy', () => {
    const picture = text('nodes: [{ name: n, ip: 192.168.0.11, commands: [ip link set cni0 down, iptables -P FORWARD DROP] }]');
    expect(picture).toMatch(/bridge, down/);
    expect(picture).toContain('else DROP');
  });

  test('frames that pass the hooks by', () => {
    expect(text('nodes: [{ name: n, ip: 192.168.0.11, sysctls: { net.bridge.bridge-nf-call-iptables: 0 } }]')).toContain(
      'pass them by',
    );
  });

  test('a pod without a network', () => {
    expect(text('{ cni: none, nodes: [{ name: n, ip: 192.168.0.11 }], pods: [{ name: p, node: n, ip: 10.0.0.2 }] }')).toContain(
      'No cable leads to pod/p',
    );
  });

  test('a pod that is not ready, and its own MTU', () => {
    const picture = text('{ nodes: [{ name: n, ip: 192.168.0.11 }], pods: [{ name: p, node: n, ready: false, mtu: 1400 }] }');
    expect(picture).toContain('not ready');
    expect(picture).toContain('MTU 1400');
  });
});

test.each([
  ['{}', 'to node ports', true],
  ['{ mode: direct }', 'straight to nodes', false],
])(
  'a cluster with loadBalancer %s has its balancers behind the router, and tables for their answers',
  (settings, how, returns) => {
    const text = clusterText(
      made(
        scenarioOf(`
loadBalancer: ${settings}
nodes: [{ name: a, ip: 192.168.0.11 }, { name: b, ip: 192.168.0.12 }]
services: [{ name: web, type: LoadBalancer, ports: [{ port: 80 }] }]`),
      ),
      { ...plain, width: 120 },
    );
    expect(text).toContain(`balancer/default/web 198.51.100.1, tcp 80, ${how}\n`);
    expect(text.includes('default via 100.64.0.1 table 1000  answers by way of balancer/default/web\n')).toBe(returns);
  },
);

test('a router with more routes than are listed says so', () => {
  const nodes = Array.from({ length: 120 }, (_, i) => ({ name: `n${i}`, ip: `192.168.1.${i + 2}` }));
  const many = scenarioOf(JSON.stringify({ cni: 'flannel-ali-vpc', cluster: { podCIDR: '10.0.0.0/8' }, nodes }));
  expect(clusterText(made(many, LIMIT), { ...plain, width: 120 })).toContain('and 115 more routes\n');
});
