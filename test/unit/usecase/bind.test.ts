import { describe, expect, test } from 'vitest';
import { loadScenario } from '../../../src/scenario/load.ts';
import { runChecks } from '../../../src/usecase/check.ts';
import { engine } from '../../../src/usecase/engine.ts';

function answer(check: string, commands = '[]'): string {
  const text = `cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11, commands: ${commands} }]
pods:
  - { name: client, node: node-1, ports: [7070] }
  - { name: web, node: node-1, ports: [8080] }
checks: [${check}]
`;
  const loaded = loadScenario([{ name: 'x.yaml', text }], { readFile: () => null });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join());
  const [result] = runChecks(loaded.scenario, {}, engine).checks;
  return result?.error ?? `${result?.outcomes[0]?.verdict} ${result?.outcomes[0]?.server} ${result?.outcomes[0]?.source}`;
}

describe('the address that a client binds to', () => {
  test.each([
    ['its own', 'pod/client', 'pod/web:8080', '10.244.0.2', /^connected pod\/default\/web 10\.244\.0\.2/],
    ['the bridge of its node', 'node/node-1', 'pod/web:8080', '10.244.0.1', /^connected .* 10\.244\.0\.1/],
    [
      "another host's",
      'pod/client',
      'pod/web:8080',
      '10.244.0.3',
      /^source address 10\.244\.0\.3 is not one of pod\/default\/client .*it has 127\.0\.0\.1, .*10\.244\.0\.2/,
    ],
  ])('%s', (_, from, to, sourceAddress, expected) => {
    expect(answer(`{ from: ${from}, to: "${to}", sourceAddress: ${sourceAddress} }`)).toMatch(expected);
  });

  test('one that a command gave', () => {
    const check = '{ from: node/node-1, to: "pod/web:8080", sourceAddress: 192.168.0.99 }';
    expect(answer(check, '[ip addr add 192.168.0.99/24 dev eth0]')).toMatch(/^connected .* 192\.168\.0\.99/);
    expect(answer(check)).toMatch(/^source address/);
  });
});

test('a connection to 0.0.0.0 goes to the host itself', () => {
  expect(answer('{ from: pod/client, to: "0.0.0.0:7070" }')).toBe('connected pod/default/client 127.0.0.1');
});
