import { describe, expect, test } from 'vitest';
import { cluster, sound } from './run-cli.ts';

const LETTERS = 'abcdefghijklmnopqrst';

function repeat(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n');
}

const BROKEN: readonly (readonly [name: string, text: string])[] = [
  [
    'an alias bomb',
    `a: &a [1,1,1,1,1,1,1,1,1]\n${repeat(LETTERS.length - 1, (i) => `${LETTERS[i + 1]}: &${LETTERS[i + 1]} [${`*${LETTERS[i]},`.repeat(9)}]`)}`,
  ],
  ['a merge bomb', `a: &a {${repeat(1000, (i) => `k${i}: 1,`)}}\n${repeat(1000, (i) => `b${i}: {<<: *a}`)}`],
  ['an alias of itself', 'nodes: &a [*a]'],
  ['a mapping in itself', '&x {a: *x}'],
  ['100,000 open brackets', '['.repeat(100_000)],
  ['mappings 3,000 deep', repeat(3000, (i) => `${' '.repeat(i)}a:`)],
  ['lists 20,000 deep', `${'- '.repeat(20_000)}a`],
  ['JSON 50,000 deep', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
  ['JSON labels 5,000 deep', `{"nodes":[{"name":"n","labels":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}]}`],
  ['Lists in Lists', `{"kind":"List","items":${'[{"kind":"List","items":'.repeat(3000)}[]${'}]'.repeat(3000)}}`],
  ['numbers beyond all', 'nodes: [{name: n, ip: 99999999999999999999999999999, mtu: 1e400}]\npods: 123'],
  ['200,000 documents', '---\n'.repeat(200_000)],
  ['a line of 5 MB', `a: "${'x'.repeat(5_000_000)}"`],
  ['a key of 2 MB', `? ${'x'.repeat(2_000_000)}\n: 1`],
  ['a key of 2 MB in JSON', `{"${'x'.repeat(2_000_000)}": 1}`],
  ['bytes of every kind', repeat(1000, (i) => String.fromCharCode((i * 7919) % 256))],
  ['nothing', ''],
  ['blanks', ' '.repeat(1_000_000)],
  ['a function', '!!js/function "function () {}"'],
  ['binary', 'nodes: !!binary AAAA'],
  ['another YAML', '%YAML 9.9\n---\na: 1'],
  ['a key twice', 'nodes: []\nnodes: []'],
  ['names of JavaScript as keys', '__proto__: {a: 1}\nconstructor: 1\ntoString: 1'],
  ['a list', '[1, 2, 3]'],
  ['a word', 'hello'],
  ['null', 'null'],
  ['2,000,000,000 replicas', workload(2_000_000_000)],
  ['more pods than Kubernetes takes', `${workload(100_000)}${workload(100_000).replace('name: d', 'name: e')}`],
  [
    '300 connections before a check',
    cluster({ check: `before: [${repeat(300, () => '{ from: pod/client, to: "svc/web:80" },')}],` }),
  ],
  ['a payload beyond IP', cluster({ check: 'payload: 65508,' })],
  [
    'no address left for 2,000 pods',
    `nodes: [{ name: n, ip: 192.168.0.1 }]\npods:\n${repeat(2_300, (i) => `  - { name: p${i}, node: n }`)}`,
  ],
  [
    '20,000 pods with one mistake each',
    `nodes: [{ name: n, ip: 192.168.0.1 }]\npods:\n${repeat(20_000, (i) => `  - { name: p${i} }`)}`,
  ],
];

function workload(replicas: number): string {
  return `---
apiVersion: v1
kind: Node
metadata: { name: n }
status: { addresses: [{ type: InternalIP, address: 192.168.0.1 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: d }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { a: b } }
  template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } }
`;
}

describe('hostile scenarios', () => {
  test.each(BROKEN)('%s is an error', async (_, text) => {
    expect((await sound(['check', '-'], text)).code).toBe(2);
  });

  test.each(BROKEN.slice(-2))('%s: the messages are not without end', async (_, text) => {
    const { err } = await sound(['check', '-'], text);
    expect(err.split('\n').length).toBeLessThan(500);
  });
});

describe('large scenarios are answered', () => {
  const nodes = repeat(100, (i) => `  - { name: n${i}, ip: 192.168.1.${i + 1} }`);
  const pods = repeat(
    20_000,
    (i) => `  - { name: pod-${i}, node: n${i % 100}, labels: { app: a${i % 20}, filler: ${'y'.repeat(150)} }, ports: [80] }`,
  );
  const large = `nodes:\n${nodes}\npods:\n${pods}\nservices:\n  - { name: web, selector: { app: a1 }, ports: [{ port: 80 }] }\n`;

  test('a service with 1,000 of 20,000 pods, and says that it samples', { timeout: 60_000 }, async () => {
    const { code, out } = await sound(['trace', '-', '--from', 'pod/pod-0', '--to', 'svc/web:80'], large);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}sampled/m);
  });

  test('names of JavaScript are names', async () => {
    const text = `
nodes: [{ name: __proto__, ip: 192.168.0.1 }, { name: constructor, ip: 192.168.0.2 }]
pods: [{ name: toString, node: __proto__ }, { name: hasOwnProperty, node: constructor, labels: { __proto__: x }, ports: [80] }]
services: [{ name: valueOf, selector: { __proto__: x }, ports: [{ port: 80 }] }]
`;
    expect((await sound(['trace', '-', '--from', 'pod/toString', '--to', 'svc/valueOf:80'], text)).code).toBe(0);
  });

  test('a hundred connections one after the other', { timeout: 60_000 }, async () => {
    expect((await sound(['trace', '-', '--repeat', '100', '--detail', 'summary'], cluster())).code).toBe(0);
  });
});
