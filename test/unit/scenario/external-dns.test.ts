import { expect, test } from 'vitest';
import { resolveExternalDns } from '../../../src/scenario/resolve/external-dns.ts';
import { Problems } from '../../../src/scenario/reading/problems.ts';
import { node } from '../kubernetes/cluster-fixture.ts';

test('nodes are indexed once, however many entries there are', () => {
  let reads = 0;
  const nodes = ['a', 'b', 'c'].map((name, i) =>
    Object.defineProperty(node(name, `192.168.0.${i + 1}`, `10.244.${i}.0/24`), 'name', {
      get: () => {
        reads++;
        return name;
      },
    }),
  );
  const position = { file: 'cluster.yaml', line: 1, column: 1 };
  const externalDns = Array.from({ length: 9 }, (_, i) => ({
    name: `n${i}.example`,
    addresses: [],
    alias: null,
    hosts: ['node/b', 'node/c'],
    position,
  }));
  const problems = new Problems();
  const names = resolveExternalDns({ externalDns, externals: [] }, nodes, problems);
  expect(names.map(({ addresses }) => addresses)).toEqual(Array(9).fill([...nodes[1]!.addresses, ...nodes[2]!.addresses]));
  expect(problems.hasErrors).toBe(false);
  expect(reads).toBe(nodes.length);
});
