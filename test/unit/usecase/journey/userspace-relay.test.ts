import { describe, expect, test } from 'vitest';
import { scenarioOf, traceCheck } from '../../../support/ask.ts';
import type { Trace } from '../../../../src/trace/trace.ts';

/** One check over two nodes; `web-1` listens where the services point unless `closed` says otherwise. */
function ask(check: string, closed = false): Trace {
  return traceCheck(
    scenarioOf(`
cluster: { kubernetesVersion: "1.24" }
kubeProxy: { mode: userspace }
nodes: [{ name: a, ip: 192.168.0.11 }, { name: b, ip: 192.168.0.12 }]
pods:
  - { name: client, node: a }
  - { name: web-1, node: a, labels: { app: web }, ports: [{ containerPort: 8080, listens: ${!closed} }, { containerPort: 53, protocol: UDP, listens: ${!closed} }] }
  - { name: web-2, node: b, labels: { app: web, one: "2" }, ports: [8080, { containerPort: 53, protocol: UDP }] }
  - { name: mute-1, node: a, labels: { app: mute }, ports: [{ containerPort: 8080, listens: false }] }
  - { name: mute-2, node: b, labels: { app: mute }, ports: [{ containerPort: 8080, listens: false }] }
services:
  - { name: web, selector: { app: web }, ports: [{ name: http, port: 80, targetPort: 8080 }, { name: dns, port: 53, protocol: UDP }] }
  - { name: sticky, selector: { app: web }, sessionAffinity: ClientIP, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: mute, selector: { app: mute }, ports: [{ port: 80, targetPort: 8080 }] }
  - { name: none, selector: { app: none }, ports: [{ name: http, port: 80 }, { name: dns, port: 53, protocol: UDP }] }
checks:
  - { ${check} }
`),
  );
}

function summary({ outcomes }: Trace): readonly unknown[] {
  return outcomes.map(({ verdict, server, source, probability, cause }) => [
    verdict,
    server?.split('/').at(-1) ?? null,
    source,
    probability,
    cause?.code ?? null,
  ]);
}

function legs({ outcomes }: Trace): readonly (readonly string[])[] {
  return outcomes.map((outcome) => outcome.legs.map(({ purpose, from, to, verdict }) => `${purpose} ${from} ${to} ${verdict}`));
}

describe('kube-proxy in userspace mode passes a connection on', () => {
  test('the second one comes from the node: ProxyLoop, proxyTCP', () => {
    const trace = ask('from: pod/client, to: svc/web:80');
    expect(summary(trace)).toEqual([
      ['connected', 'web-1', '10.244.0.1', 0.5, null],
      ['connected', 'web-2', '10.244.0.0', 0.5, null],
    ]);
    expect(legs(trace)).toEqual([
      ['proxy node/a pod/default/web-1:8080 connected'],
      ['proxy node/a pod/default/web-2:8080 connected'],
    ]);
    expect(trace.outcomes[0]!.request.at(-1)).toMatchObject({
      kind: 'proxy',
      host: 'node/a',
      leg: 0,
      text: 'kube-proxy relays to 10.244.0.3:8080, 1 of 2 in turn',
    });
  });

  test('a pod that is its own endpoint needs no hairpin: it sees the node', () => {
    expect(summary(ask('from: pod/web-1, to: svc/web:80, backend: pod/web-1'))).toEqual([
      ['connected', 'web-1', '10.244.0.1', 1, null],
    ]);
  });

  test('a pin is for the second connection, and has an effect', () => {
    const trace = ask('from: pod/client, to: svc/web:80, backend: pod/web-2');
    expect(summary(trace)).toEqual([['connected', 'web-2', '10.244.0.0', 1, null]]);
    expect(trace.assumptions.join()).not.toContain('no effect');
  });

  test('TryConnectEndpoints: one that fails is followed by the next, and the client notices nothing', () => {
    const trace = ask('from: pod/client, to: svc/web:80', true);
    expect(trace.outcomes.map(({ verdict, server, cause }) => [verdict, server, cause])).toEqual([
      ['connected', 'pod/default/web-2', null],
      ['connected', 'pod/default/web-2', null],
    ]);
    expect(legs(trace)[0]).toEqual([
      'proxy node/a pod/default/web-1:8080 refused',
      'proxy node/a pod/default/web-2:8080 connected',
    ]);
    expect(trace.outcomes[0]!.request.filter(({ kind }) => kind === 'proxy')).toHaveLength(2);
  });

  test('when all fail the connection is closed, though its handshake went well', () => {
    const trace = ask('from: pod/client, to: svc/mute:80');
    expect(new Set(summary(trace).map(String))).toEqual(new Set(['reset,a,10.244.0.2,0.5,port-not-listening']));
    expect(trace.notes?.join()).toContain('tried 4 times');
    expect(trace.outcomes[0]!.reply.at(-1)).toMatchObject({ kind: 'socket', action: 'answer' });
  });

  test('ErrMissingEndpoints: a connection is closed, a datagram dropped', () => {
    expect(summary(ask('from: pod/client, to: svc/none:80'))).toEqual([['reset', 'a', '10.244.0.2', 1, 'no-endpoints']]);
    const datagram = ask('from: pod/client, to: svc/none:53, protocol: udp');
    expect(summary(datagram)).toEqual([['timeout', null, '10.244.0.2', 1, 'no-endpoints']]);
    expect(datagram.outcomes[0]!.reply).toEqual([]);
  });

  test('proxyClient: a datagram that its endpoint refuses gets no answer, and no other endpoint', () => {
    expect(summary(ask('from: pod/client, to: svc/web:53, protocol: udp', true))).toEqual([
      ['timeout', null, '10.244.0.2', 0.5, 'port-not-listening'],
      ['connected', 'web-2', '10.244.0.0', 0.5, null],
    ]);
  });
});

describe('session affinity', () => {
  test('NextEndpoint: a client keeps its endpoint, whatever its port', () => {
    const trace = ask(
      'from: pod/client, to: svc/sticky:80, before: [{ from: pod/client, to: svc/sticky:80, backend: pod/web-2 }]',
    );
    expect(summary(trace)).toEqual([['connected', 'web-2', '10.244.0.0', 1, null]]);
    expect(trace.outcomes[0]!.request.at(-1)).toMatchObject({
      text: 'kube-proxy relays to 10.244.1.2:8080, this client’s (ClientIP)',
    });
  });

  test('another client has its own', () => {
    const trace = ask(
      'from: pod/mute-1, to: svc/sticky:80, before: [{ from: pod/client, to: svc/sticky:80, backend: pod/web-2 }]',
    );
    expect(trace.outcomes).toHaveLength(2);
  });

  test('one that fails is given up', () => {
    const trace = ask(
      'from: pod/client, to: svc/sticky:80, before: [{ from: pod/client, to: svc/sticky:80, backend: pod/web-2 }]',
      true,
    );
    expect(trace.outcomes.map(({ server }) => server)).toEqual(['pod/default/web-2']);
  });
});
