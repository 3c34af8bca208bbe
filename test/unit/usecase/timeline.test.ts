import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { engine } from '../../../src/usecase/engine.ts';
import { runChecks } from '../../../src/usecase/check.ts';
import { allChecks } from '../../../src/usecase/find-check.ts';
import { traceConnection, traceRepeated } from '../../../src/usecase/trace.ts';
import type { CheckResult } from '../../../src/trace/check-report.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { scenarioOf } from '../scenario/load-text.ts';

const GALLERY = join(import.meta.dirname, '../../../scenarios');

/** Two nodes, a client and two web pods behind a TCP and a UDP service. */
function base(more = ''): string {
  return `
cluster: { kubernetesVersion: "1.30" }
cni: flannel-vxlan
nodes: [{ name: node-1, ip: 192.168.0.11 }, { name: node-2, ip: 192.168.0.12 }]
pods:
  - { name: client, node: node-1 }
  - { name: web-1, node: node-1, labels: { app: web }, ports: [80, { containerPort: 53, protocol: UDP }] }
  - { name: web-2, node: node-2, labels: { app: web }, ports: [80, { containerPort: 53, protocol: UDP }] }
services:
  - { name: web, selector: { app: web }, ports: [{ name: http, port: 80 }, { name: dns, port: 53, protocol: UDP }] ${more} }
`;
}

function results(text: string): readonly CheckResult[] {
  return runChecks(scenarioOf(text), {}, engine).checks;
}

/** "step / check: verdict server", several outcomes with "or"; the error of a check that could not be run. */
function story(text: string): readonly string[] {
  return results(text).map(({ step, name, error, outcomes }) => {
    const seen = outcomes.map(({ verdict, server }) => `${verdict} ${server?.replace('pod/default/', '') ?? 'nobody'}`);
    return `${step ?? ''} / ${name}: ${error ?? seen.join(' or ')}`;
  });
}

const TCP_TO_2 = 'checks: [{ name: c, from: pod/client, to: svc/web:80, backend: pod/web-2 }]\n';
const UDP_TO_2 = 'checks: [{ name: c, from: pod/client, to: svc/web:53, protocol: udp, backend: pod/web-2 }]\n';

describe('connections across steps', () => {
  test('a TCP connection goes on where it went, new ones go where the rules say', () => {
    expect(
      story(`${base()}${TCP_TO_2}steps:
  - { name: s, apply: { pods: [{ name: web-2, ready: false }] }, checks: [{ continues: c }, { name: n, from: pod/client, to: svc/web:80 }] }`),
    ).toEqual(
      ['/ c: connected web-2', 's / c, continued: connected web-2', 's / n: connected web-1'].map((line, i) =>
        i === 0 ? ` ${line}` : line,
      ),
    );
  });

  test('without conntrack its next segment is led anew, and a socket that knows nothing of it answers with a RST', () => {
    const [, lost] = results(`${base()}${TCP_TO_2}steps:
  - { name: s, after: 121h, delete: [pod/web-2], checks: [{ name: lost, continues: c }] }`);
    expect(lost).toMatchObject({ outcomes: [{ verdict: 'reset', server: null }] });
    expect(lost!.outcomes[0]!.request.some((e) => e.kind === 'rule' && e.chain.startsWith('KUBE-SVC'))).toBe(true);
  });

  test('a server of the same name and address is another one', () => {
    const text = `${base()}
checks: [{ name: c, from: pod/client, to: 'pod/web-2:80' }]
steps:
  - name: s
    delete: [pod/web-2]
    apply: { pods: [{ name: web-2, node: node-2, ip: 10.244.1.2, ports: [80] }] }
    checks: [{ continues: c }, { name: n, from: pod/client, to: 'pod/web-2:80' }]`;
    expect(story(text).slice(1)).toEqual(['s / c, continued: reset nobody', 's / n: connected web-2']);
  });

  test.each<[string, string]>([
    [
      '{ delete: [pod/client], checks: [{ continues: c }] }',
      `the connection of "c" can't go on: its client pod/default/client is gone`,
    ],
    [
      `{ do: ['node-2: iptables -I FORWARD -p tcp -j REJECT --reject-with tcp-reset'], checks: [{ name: d, continues: c }, { continues: d }] }`,
      `the connection of "d" can't go on: it ended with ECONNRESET`,
    ],
    ['{ checks: [{ name: d, from: pod/nobody, to: svc/web:80 }, { continues: d }] }', 'the connection of "d" was never made'],
  ])('%s', (step, error) => {
    expect(results(`${base()}${TCP_TO_2}steps: [${step}]`).at(-1)).toMatchObject({ ok: false, error });
  });

  test.each<[string, string]>([
    ['20s', 'connected web-2'],
    // An answered flow is kept for two minutes; then the rules are asked again.
    ['3m', 'connected web-1 or connected web-2'],
  ])('a datagram %s later', (after, expected) => {
    expect(story(`${base()}${UDP_TO_2}steps: [{ after: ${after}, checks: [{ name: d, continues: c }] }]`)[1]).toBe(
      `step 1 / d: ${expected}`,
    );
  });

  test('kube-proxy deletes the UDP entry of an endpoint that goes; nobody does where it is not', () => {
    const steps = 'steps: [{ delete: [pod/web-2], checks: [{ name: d, continues: c }] }]';
    expect(story(`${base()}${UDP_TO_2}${steps}`)[1]).toBe('step 1 / d: connected web-1');
    const rule = '-t nat -A PREROUTING -p udp -d 10.96.9.9 -j DNAT --to-destination 10.244.1.2';
    const own = `${base().replace('node-1, ip: 192.168.0.11', `node-1, ip: 192.168.0.11, commands: ["iptables ${rule}"]`)}kubeProxy: { mode: none }
checks: [{ name: c, from: pod/client, to: '10.96.9.9:53', protocol: udp }]
${steps}`;
    expect(story(own)).toEqual([' / c: connected web-2', 'step 1 / d: host-unreachable nobody']);
  });

  test('session affinity survives, ends with its time, and with the endpoint', () => {
    const affinity = ', sessionAffinity: ClientIP, sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } }';
    const again = (name: string) => `checks: [{ name: ${name}, from: pod/client, to: svc/web:80 }]`;
    const text = `${base(affinity)}${TCP_TO_2}steps:
  - { after: 50s, ${again('kept')} }
  - { after: 61s, ${again('forgotten')} }
`;
    expect(story(text).slice(1)).toEqual([
      'step 1 / kept: connected web-2',
      'step 2 / forgotten: connected web-1 or connected web-2',
    ]);
    const back = `apply: { pods: [{ name: web-2, node: node-2, ip: 10.244.1.2, labels: { app: web }, ports: [80] }] }`;
    expect(
      story(
        `${base(affinity)}${TCP_TO_2}steps: [{ delete: [pod/web-2], ${again('others')} }, { after: 61s, ${back}, ${again('anew')} }]`,
      ).slice(1),
    ).toEqual(['step 1 / others: connected web-1', 'step 2 / anew: connected web-1 or connected web-2']);
  });

  test('goes on from the most likely branch and says so', () => {
    const [, second] = results(`${base()}checks: [{ name: c, from: pod/client, to: svc/web:80 }]
steps: [{ checks: [{ name: d, continues: c }] }]`);
    expect(second!.outcomes).toMatchObject([{ verdict: 'connected', server: 'pod/default/web-1' }]);
    expect(second!.assumptions).toContain('"c" is taken to have ended with pod/default/web-1');
  });

  test('every connection has a port of its own', () => {
    const checks =
      results(`${base()}checks: [{ name: a, from: pod/client, to: 'pod/web-1:80', before: [{ from: pod/client, to: 'pod/web-1:80' }] }]
steps: [{ checks: [{ name: b, from: pod/client, to: 'pod/web-1:80' }] }, { checks: [{ name: c, from: pod/client, to: 'pod/web-1:80' }] }]`);
    expect(checks.map((check) => check.outcomes[0]!.request[0]!.packet?.sport)).toEqual([40000, 40002, 40003]);
  });
});

describe('one more segment', () => {
  const step = (more: string, check = '') =>
    `${base()}${TCP_TO_2}steps: [{ ${more} checks: [{ name: d, continues: c ${check} }] }]`;

  test('is acknowledged; both ends see what they saw before', () => {
    const [first, next] = results(step(''));
    const [before, after] = [first!.outcomes[0]!, next!.outcomes[0]!];
    expect(after).toMatchObject({ verdict: 'connected', server: before.server, source: before.source, cause: null, ack: [] });
    expect(after.request[0]!.packet).toMatchObject({ flags: 'PSH,ACK', length: 57, sport: 40000, dport: 80 });
    expect(after.reply[0]!.packet).toMatchObject({ flags: 'ACK', length: 52 });
    expect(
      after.request.some((event) => event.kind === 'rule' && event.table === 'nat' && event.packet?.protocol === 'tcp'),
    ).toBe(false);
    expect(after.data).toBeUndefined();
  });

  test.each<[string, string, string, number]>([
    ['is cut to the MSS', '', ', payload: 9000', 1450],
    ['is cut to a path MTU that it is told', "do: ['node-1: ip link set flannel.1 mtu 1000'],", ', payload: 9000', 1000],
    ['has the size that is asked for', '', ', payload: 100', 152],
  ])('%s', (_, more, check, length) => {
    const { outcomes } = results(step(more, check))[1]!;
    expect(outcomes).toMatchObject([{ verdict: 'connected' }]);
    const sent = outcomes[0]!.request.filter((event) => event.kind === 'socket' && event.action === 'send');
    expect(sent.at(-1)!.packet!.length).toBe(length);
  });

  test.each<[string, string, object]>([
    [
      'no route of the client',
      "do: ['pod/client: ip route del default', 'pod/client: ip route del 10.244.0.0/16'],",
      { verdict: 'timeout', cause: { code: 'no-route' } },
    ],
    [
      'a drop on the way',
      "do: ['node-2: iptables -I FORWARD -j DROP'],",
      { verdict: 'timeout', server: null, cause: { code: 'rule-drop' } },
    ],
    [
      'a drop on the way back',
      "do: ['node-1: iptables -I FORWARD -s 10.244.1.2 -j DROP'],",
      { verdict: 'timeout', server: 'pod/default/web-2', cause: { code: 'rule-drop' } },
    ],
  ])('meets %s', (_, more, expected) => {
    expect(results(step(more))[1]!.outcomes).toMatchObject([expected]);
  });

  test('ends where it has arrived, if nobody asks for the reply', () => {
    const scenario = scenarioOf(step(''));
    const check = allChecks(scenario)[1]!;
    const traced = traceConnection(scenario, check, { check, noReply: true }, engine);
    expect(traced).toMatchObject({ ok: true, trace: { outcomes: [{ server: 'pod/default/web-2', reply: [] }] } });
  });
});

describe('what operators did', () => {
  test('stays, while controllers write what is theirs anew', () => {
    const text = `${base()}steps:
  - { do: ['node-2: iptables -I FORWARD -d 10.244.1.2 -j DROP'], checks: [{ name: a, from: pod/client, to: 'pod/web-2:80' }] }
  - { apply: { pods: [{ name: web-3, node: node-2, ports: [80] }] }, checks: [{ name: b, from: pod/client, to: 'pod/web-2:80' }, { name: c, from: pod/client, to: 'pod/web-3:80' }] }
`;
    expect(story(text)).toEqual(['step 1 / a: timeout nobody', 'step 2 / b: timeout nobody', 'step 2 / c: connected web-3']);
  });

  test('is passed over where what it changed is gone, and an error where it is new', () => {
    const kill = `node-1: ip route del 192.168.0.99`;
    const make = `node-1: ip route add 192.168.0.99 dev eth0`;
    const check = `checks: [{ name: a, from: pod/client, to: 'pod/web-1:80' }]`;
    expect(story(`${base()}steps: [{ do: ['${make}', '${kill}'] }, { ${check} }]`)).toEqual(['step 2 / a: connected web-1']);
    expect(story(`${base()}steps: [{ do: ['${kill}'], ${check} }]`)[0]).toMatch(/RTNETLINK|No such process/);
  });

  test('--do is done before the first step', () => {
    const scenario = scenarioOf(
      `${base()}steps: [{ delete: [node/node-2], checks: [{ name: a, from: pod/client, to: 'pod/web-1:80' }] }]`,
    );
    const commands = [
      { host: 'node-2', command: 'ip link set eth0 down' },
      { host: 'node-1', command: 'iptables -I FORWARD -j DROP' },
    ];
    const [check] = runChecks(scenario, { commands }, engine).checks;
    expect(check).toMatchObject({ outcomes: [{ verdict: 'timeout' }] });
  });
});

describe('a trace of a check', () => {
  const gallery = readdirSync(GALLERY)
    .filter((name) => name.startsWith('steps-'))
    .map((name) => ({ name, scenario: scenarioOf(readFileSync(join(GALLERY, name), 'utf8')) }));

  test.each(gallery)('$name: every check holds, and its trace tells the same', ({ scenario }) => {
    const report = runChecks(scenario, {}, engine);
    expect(report.checks.filter((check) => !check.ok)).toEqual([]);
    for (const [i, check] of allChecks(scenario).entries()) {
      const traced = traceConnection(scenario, check, { check, before: check.before }, engine);
      expect(traced.ok && traced.trace.outcomes).toEqual(report.checks[i]!.outcomes);
    }
  });

  const scenario: Scenario = scenarioOf(
    `${base()}${TCP_TO_2}steps: [{ delete: [pod/web-2], checks: [{ name: d, from: pod/client, to: svc/web:80 }] }]`,
  );
  const check = allChecks(scenario)[1]!;

  test('may be asked with other words than its own', () => {
    const traced = traceConnection(scenario, { ...check, to: 'pod/web-1:81' }, { check, noReply: true }, engine);
    expect(traced).toMatchObject({ ok: true, trace: { outcomes: [{ verdict: 'refused' }] } });
  });

  test('may be repeated', () => {
    const traced = traceRepeated(scenario, check, 2, { check }, engine);
    expect(traced.ok && traced.traces.items.map(({ packet }) => packet?.sport)).toEqual([40001, 40002]);
  });
});
