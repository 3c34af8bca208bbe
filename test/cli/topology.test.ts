import { describe, expect, test } from 'vitest';
import { k8snet } from './run-k8snet.ts';

describe('the bare topology', () => {
  const { status, stdout, stderr } = k8snet(['topology']);

  test('draws the bundled tutorial and says so', () => {
    expect(status).toBe(0);
    expect(stderr).toContain('scenarios/tutorial.yaml');
    for (const part of ['node-1', 'node-2', 'cni0', 'flannel.1', 'VXLAN', 'switch 192.168.0.0/24', 'client', '10.244.1.2'])
      expect(stdout).toContain(part);
  });

  test('gives the same bytes again', () => {
    expect(k8snet(['topology']).stdout).toBe(stdout);
  });

  test.each([80, 100, 120])('fits %i columns', (columns) => {
    for (const args of [['topology'], ['topology', '--node', 'node-1'], ['topology', 'scenarios/basics-23-pause.yaml']]) {
      const lines = k8snet(args, { env: { COLUMNS: String(columns) } }).stdout.split('\n');
      expect(lines.filter((line) => [...line].length > columns)).toEqual([]);
    }
  });

  test('speaks ASCII where the locale does', () => {
    const ascii = k8snet(['topology', '--node', 'node-1'], { env: { LC_ALL: 'C' } }).stdout;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII
    expect(ascii).toMatch(/^[\x00-\x7f]*$/);
    expect(ascii.replaceAll('for me?', '')).not.toContain('?');
  });
});

test('a lone node is drawn in full', () => {
  expect(k8snet(['topology', 'scenarios/basics-21-docker.yaml']).stdout).toContain('HOOKS');
});

test('as JSON it has all nodes in detail, with --node that one', () => {
  const all = JSON.parse(k8snet(['topology', '-o', 'json']).stdout) as {
    kind: string;
    nodes: { name: string; detail: unknown }[];
  };
  expect(all.kind).toBe('Topology');
  expect(all.nodes.map(({ name, detail }) => [name, detail !== null])).toEqual([
    ['node-1', true],
    ['node-2', true],
  ]);
  const one = JSON.parse(k8snet(['topology', '--node', 'node/node-2', '-o', 'json']).stdout) as typeof all;
  expect(one.nodes.map(({ name }) => name)).toEqual(['node-2']);
});

test('as Mermaid it is a flowchart', () => {
  expect(k8snet(['topology', '-o', 'mermaid']).stdout).toMatch(/^flowchart TB\n/);
});

describe('exits with 2 and prints nothing', () => {
  test.each([
    ['an unknown node, with the one that is meant', ['topology', '--node', 'nod-1'], '', 'did you mean node-1?'],
    ['an unknown format', ['topology', '-o', 'svg'], '', 'Allowed choices'],
    ['no such file', ['topology', 'nowhere.yaml'], '', 'no such file'],
    ['a wrong key, with its place', ['topology', '-'], 'nodes:\n  - { nam: n }', '<stdin>:2:7'],
    [
      'a command that is refused, with its place',
      ['topology', '-'],
      'nodes:\n  - name: n\n    ip: 192.168.0.11\n    commands: [ip link set eth9 up]',
      '<stdin>:4:',
    ],
  ])('for %s', (_, args, input, message) => {
    const { status, stdout, stderr } = k8snet(args, { input });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });
});

test('a cluster without nodes is a cluster', () => {
  const { status, stdout } = k8snet(['topology', '-'], { input: 'external: [{ name: laptop, ip: 203.0.113.9 }]' });
  expect([0, 2]).toContain(status);
  if (status === 0) expect(stdout).toContain('CLUSTER');
});
