import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Cluster } from '../../../src/kubernetes/model/cluster.ts';
import { formatIp } from '../../../src/net/ip.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { parseDuration } from '../../../src/scenario/reading/duration.ts';
import type { Scenario, Step } from '../../../src/scenario/scenario.ts';
import { diagnosticsOf, scenarioOf } from './load-text.ts';

const ROOT = join(import.meta.dirname, '../../..');

const BASE = `
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: client, node: node-1 }
  - { name: web-1, node: node-1, labels: { app: web, tier: a }, ports: [8080] }
  - { name: web-2, node: node-2, labels: { app: web }, ports: [8080] }
services:
  - { name: old, type: NodePort, selector: { app: old }, ports: [{ port: 80 }] }
  - { name: web, type: NodePort, selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
external: [{ name: laptop, ip: 203.0.113.9 }]
`;

function scenario(steps: string, base = BASE): Scenario {
  return scenarioOf(`${base}steps:\n${steps}`);
}

function stepsOf(steps: string, base = BASE): readonly Step[] {
  return scenario(steps, base).steps;
}

/** "name node address" of the pods of a cluster. */
function podsOf({ cluster }: Pick<Scenario, 'cluster'>): readonly string[] {
  return cluster.pods.map((pod) => `${pod.name} ${pod.node} ${pod.addresses.map(formatIp).join()}`);
}

function endpointsOf({ cluster }: Pick<Scenario, 'cluster'>, service = 'web'): readonly string[] {
  return cluster.endpointSlices
    .filter((slice) => slice.service === service)
    .flatMap((slice) => slice.endpoints.map((e) => `${e.addresses[0]} ${e.ready ? 'ready' : e.serving ? 'serving' : 'no'}`));
}

describe('a step', () => {
  test('deletes, adds and changes; controllers follow', () => {
    const [step] = stepsOf(`
  - delete: [pod/web-1, svc/old]
    apply:
      pods: [{ name: web-3, node: node-1, labels: { app: web }, ports: [8080] }, { name: web-2, terminating: true }]
`);
    expect(podsOf(step!)).toEqual(['client node-1 10.244.0.2', 'web-2 node-2 10.244.1.2', 'web-3 node-1 10.244.0.4']);
    expect(endpointsOf(step!)).toEqual(['10.244.1.2 serving', '10.244.0.4 ready']);
    expect(step!.cluster.services.map((s) => s.name)).toEqual(['web']);
    expect(step!.ended.map(({ name, addresses }) => [name, ...addresses.map(formatIp)])).toEqual([
      ['pod/default/web-1', '10.244.0.3'],
    ]);
  });

  test('leaves the scenario itself and earlier steps as they were', () => {
    const { cluster, steps } = scenario('  - { delete: [pod/web-1] }\n  - { delete: [pod/web-2] }\n');
    expect(cluster.pods).toHaveLength(3);
    expect(steps.map((step) => step.cluster.pods.length)).toEqual([2, 1]);
    expect(steps.map((step) => step.name)).toEqual(['step 1', 'step 2']);
  });

  test('does not hand out the address of a pod that is gone, nor that of one of the same name', () => {
    const steps = stepsOf(`
  - { delete: [pod/web-1] }
  - { apply: { pods: [{ name: web-1, node: node-1 }, { name: new, node: node-1 }] } }
  - { delete: [pod/web-1], apply: { pods: [{ name: web-1, node: node-1 }] } }
`);
    expect(podsOf(steps[1]!).slice(2)).toEqual(['web-1 node-1 10.244.0.4', 'new node-1 10.244.0.5']);
    expect(podsOf(steps[2]!)).toContain('web-1 node-1 10.244.0.6');
    expect(steps[2]!.ended.map((ended) => ended.name)).toEqual(['pod/default/web-1']);
  });

  test('leaves services their addresses and node ports, whatever goes beside them', () => {
    const { cluster, steps } = scenario(`
  - { delete: [svc/old] }
  - { apply: { services: [{ name: web, ports: [{ port: 80, targetPort: 8080 }] }, { name: new, ports: [{ port: 80 }] }] } }
  - { apply: { services: [{ name: web, type: ClusterIP }] } }
`);
    const web = cluster.services[1]!;
    const now = (i: number) => steps[i]!.cluster.services.find((s) => s.name === 'web')!;
    for (const i of [0, 1]) expect(now(i)).toMatchObject({ clusterIps: web.clusterIps, ports: web.ports });
    expect(now(2)).toMatchObject({ clusterIps: web.clusterIps, ports: [{ nodePort: 0 }] });
    const old = cluster.services[0]!.clusterIps[0];
    expect(steps[1]!.cluster.services.find((s) => s.name === 'new')!.clusterIps).not.toContain(old);
  });

  test('joins labels and replaces other values', () => {
    const [step] = stepsOf('  - { apply: { pods: [{ name: web-1, labels: { app: other }, ports: [9090] }] } }\n');
    expect(step!.cluster.pods[1]).toMatchObject({ labels: { app: 'other', tier: 'a' }, ports: [{ port: 9090 }] });
    expect(endpointsOf(step!)).toEqual(['10.244.1.2 ready']);
    expect(step!.ended).toEqual([]);
  });

  test('moves a pod by ending it', () => {
    const [step] = stepsOf('  - { apply: { pods: [{ name: web-1, node: node-2 }] } }\n');
    expect(podsOf(step!)).toContain('web-1 node-2 10.244.1.3');
    expect(step!.ended.map((ended) => ended.name)).toEqual(['pod/default/web-1']);
  });

  test('takes the pods of a node with it', () => {
    const [step] = stepsOf('  - { delete: [node/node-2] }\n');
    expect(podsOf(step!).map((pod) => pod.split(' ')[0])).toEqual(['client', 'web-1']);
    expect(step!.ended.map((ended) => ended.name)).toEqual(['pod/default/web-2', 'node/node-2']);
  });

  test('scales a workload, puts another pod in the place of one that was deleted, and leaves the others where they are', () => {
    const deployment = (replicas: number) =>
      `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: w }, spec: { replicas: ${replicas}, template: { spec: {} } } }`;
    const base = `
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
steps:
  - { objects: [${deployment(2)}] }
  - { delete: [pod/w-0], apply: { nodes: [{ name: node-0, ip: 192.168.0.13 }] } }
  - { objects: [${deployment(3)}] }
  - { objects: [${deployment(1)}] }
  - { delete: [deploy/w] }
`;
    const pods = scenarioOf(base).steps.map(podsOf);
    expect(pods[0]).toEqual(['w-0 node-1 10.244.0.2', 'w-1 node-2 10.244.1.2']);
    expect(pods[1]).toEqual(['w-0 node-1 10.244.0.3', 'w-1 node-2 10.244.1.2']);
    expect(pods[2]).toEqual([...pods[1]!, 'w-2 node-0 10.244.2.2']);
    expect(pods[3]).toEqual(['w-0 node-1 10.244.0.3']);
    expect(pods[4]).toEqual([]);
  });

  test('derives given slices anew once it touches a pod of their service', () => {
    const slice = (address: string) =>
      `{ apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: { name: web-x, labels: { kubernetes.io/service-name: web } }, addressType: IPv4, ports: [{ port: 8080 }], endpoints: [{ addresses: [${address}] }] }`;
    const { steps } = scenarioOf(`${BASE}steps:
  - { objects: [${slice('10.9.9.9')}] }
  - { apply: { pods: [{ name: client, labels: { app: other } }] } }
  - { apply: { pods: [{ name: web-2, ready: false }] } }
`);
    expect(steps.map((step) => endpointsOf(step))).toEqual([
      ['10.9.9.9 ready'],
      ['10.9.9.9 ready'],
      ['10.244.0.3 ready', '10.244.1.2 no'],
    ]);
  });

  test('keeps the commands of operators, until their host ends', () => {
    const steps = stepsOf(`
  - { do: ['node-1: ip route del default', 'pod/web-1: ip link set lo down'] }
  - { delete: [pod/web-1], do: ['external/laptop: ip link set lo down'] }
`);
    const shown = steps.map((step) =>
      step.commands.map(({ host, line }) => `${host} ${line.text}${line.earlier ? ' (earlier)' : ''}`),
    );
    expect(shown).toEqual([
      ['node/node-1 ip route del default', 'pod/default/web-1 ip link set lo down'],
      ['node/node-1 ip route del default (earlier)', 'external/laptop ip link set lo down'],
    ]);
  });

  test('gives a check that continues another one what it takes from it', () => {
    const { steps } = scenario(`
  - checks: [{ name: first, from: pod/client, to: svc/web:80, sourcePort: 4000, backend: pod/web-1 }]
  - checks: [{ continues: first, payload: 9 }]
`);
    const expected = {
      name: 'first, continued',
      continues: 'first',
      to: 'svc/web:80',
      sourcePort: 4000,
      backend: 'pod/web-1',
      payload: 9,
    };
    expect(steps[1]!.checks[0]).toMatchObject(expected);
  });
});

describe('errors of steps', () => {
  test.each<[string, readonly string[]]>([
    ['steps: [{ nam: a }]', ['1:11 unknown-key Unknown key "nam" in a step (Did you mean "name"?)']],
    [
      'steps: [{ apply: { cni: none } }]',
      [
        '1:20 unknown-key Unknown key "cni" in "apply" (Known keys: kubeProxy, nodes, pods, services, external, ingresses, externalDNS, underlay)',
      ],
    ],
    ['steps: [{ after: 5 }]', ['1:18 wrong-value "after" must be a time such as 5s, 1m30s or 3h, not 5']],
    [
      'steps: [{ delete: [pods/a] }]',
      [
        '1:20 wrong-value Item 1 must be what is to be deleted, as pod/NAME or svc/NAMESPACE/NAME, not "pods/a" (Kinds: pod, service, svc, node, external, endpointslice, ingress, deployment, deploy, statefulset, daemonset, replicaset)',
      ],
    ],
    [
      'pods: []\nsteps: [{ name: s, delete: [pod/web] }]',
      ['2:29 unknown-object Step "s": There is no Pod default/web to delete'],
    ],
    [
      'nodes: [{ name: node-1, ip: 10.0.0.1 }]\nsteps: [{ do: [ip route] }]',
      ["2:16 wrong-value Item 1 must be 'HOST: COMMAND', not \"ip route\" (Such as 'node-1: ip route del 10.244.1.0/24')"],
    ],
    [
      "nodes: [{ name: node-1, ip: 10.0.0.1 }]\nsteps: [{ do: ['node-2: ip route del default'] }]",
      ['2:16 unknown-host Step "step 1": There is no host "node-2" to run a command on (Did you mean "node/node-1"?)'],
    ],
    [
      'steps: [{ objects: [{ kind: Pod }] }]',
      [
        '1:21 not-an-object A Kubernetes object needs "apiVersion" and "kind", as text; "apiVersion" is not there (A scenario has neither of them)',
      ],
    ],
    ['steps: [{ apply: { pods: [{ name: a }] } }]', ['1:27 no-node Step "step 1": Pod default/a is on no node (Give "node")']],
    [
      'steps: [{ checks: [{ name: first, from: b, to: c }] }, { checks: [{ continues: frist }] }]',
      ['1:67 unknown-check No earlier check is named "frist" (Did you mean "first"?)'],
    ],
    [
      'steps: [{ checks: [{ continues: b, to: c }] }]',
      ['1:36 wrong-key A check that "continues" another one takes "to" from it'],
    ],
    [
      'checks: [{ name: a, from: b, to: c }, { continues: a }]',
      ['1:39 wrong-key "continues" needs "steps" (Checks of a scenario without "steps" are independent of each other)'],
    ],
  ])('%s', (text, expected) => {
    expect(diagnosticsOf(text)).toEqual(expected);
  });

  test('warnings of a step are not told: it may break something on purpose', () => {
    expect(scenario('  - { delete: [pod/web-1, pod/web-2] }\n').diagnostics).toEqual(scenarioOf(BASE).diagnostics);
  });
});

describe('a step that changes nothing leaves everything as it is', () => {
  const folders = ['scenarios', 'test/golden/kernel'].map((folder) => join(ROOT, folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => join(folder, file)),
  );

  test('there are scenarios to try', () => expect(files.length).toBeGreaterThan(100));

  test.each(files.map((file) => [relative(ROOT, file), file] as const))('%s', (_, file) => {
    const readFile = (name: string): string => readFileSync(join(dirname(file), name), 'utf8');
    const inputs = [
      // A mode for one check only has no place in a scenario with steps.
      { name: 'a.yaml', text: readFileSync(file, 'utf8').replace(/^ *proxyMode: \w+,?\n|proxyMode: \w+, /gm, '') },
      { name: 'b.yaml', text: 'steps: [{ name: the last }]' },
    ];
    const loaded = loadScenario(inputs, { readFile });
    if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
    const { cluster, steps } = loaded.scenario;
    const last = steps.at(-1)!;
    expect(last.ended).toEqual([]);
    expect(plain(last.cluster)).toEqual(plain(steps.at(-2)?.cluster ?? cluster));
  });

  function plain(value: Cluster): unknown {
    return JSON.parse(
      JSON.stringify(
        { ...value, endpointSlices: value.endpointSlices.map((slice) => ({ ...slice, endpoints: slice.endpoints })) },
        (key, v: unknown) => (key === 'earlier' ? undefined : typeof v === 'bigint' ? String(v) : v),
      ),
    );
  }
});

test.each<[string, number | null]>([
  ['5s', 5000],
  ['200ms', 200],
  ['1m30s', 90_000],
  ['3h', 10_800_000],
  ['0s', 0],
  ['5', null],
  ['5 s', null],
  ['s', null],
  ['-1s', null],
  ['1.5s', null],
  ['', null],
  ['99999999999999h', null],
])('duration %s', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});
