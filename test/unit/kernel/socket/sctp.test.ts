import { describe, expect, test } from 'vitest';
import { scenarioOf, traceCheck } from '../../../support/ask.ts';
import type { ProxyMode } from '../../../../src/kubernetes/model/cluster.ts';

import type { TraceEvent } from '../../../../src/trace/event.ts';
import type { Outcome } from '../../../../src/trace/outcome.ts';

interface Question {
  readonly to?: string;
  readonly commands?: readonly string[];
  readonly kubeProxy?: ProxyMode;
  readonly version?: string;
  readonly from?: string;
}

function outcome({
  to = 'svc/amf:38412',
  commands = [],
  kubeProxy = 'iptables',
  version = '1.33',
  from = 'pod/gnb',
}: Question = {}): Outcome {
  const scenario = scenarioOf(`
cluster: { kubernetesVersion: "${version}" }
cni: flannel-host-gw
kubeProxy: { mode: ${kubeProxy} }
nodes:
  - { name: node-1, ip: 192.168.0.11, commands: ${JSON.stringify(commands)} }
  - { name: node-2, ip: 192.168.0.12 }
pods:
  - { name: gnb, node: node-1 }
  - { name: amf, node: node-2, labels: { app: amf }, ports: [{ containerPort: 38412, protocol: SCTP }] }
services:
  - { name: amf, type: NodePort, selector: { app: amf }, ports: [{ port: 38412, protocol: SCTP, nodePort: 30412 }] }
  - { name: nobody, selector: { app: none }, ports: [{ port: 38412, protocol: SCTP }] }
external: [{ name: radio, ip: 203.0.113.20 }]
checks: [{ from: ${from}, to: '${to}', protocol: sctp, expect: { verdict: connected } }]
`);
  return traceCheck(scenario).outcomes[0]!;
}

/** Chunks in the order in which they leave their sender. */
function chunks(events: readonly TraceEvent[]): readonly (string | undefined)[] {
  return [...new Set(events.flatMap(({ kind, packet }) => (kind === 'tx' && packet ? [packet.chunk ?? packet.protocol] : [])))];
}

describe('an association', () => {
  test('is INIT, INIT-ACK, COOKIE-ECHO and COOKIE-ACK (RFC 9260 5.1)', () => {
    const { verdict, server, source, request, reply, ack } = outcome();
    expect({ verdict, server, source }).toMatchObject({ verdict: 'connected', server: 'pod/default/amf', source: '10.244.0.2' });
    expect([request, reply, ack].map(chunks)).toEqual([['INIT'], ['INIT-ACK'], ['COOKIE-ECHO', 'COOKIE-ACK']]);
  });

  test('is ESTABLISHED for conntrack from the second packet of the client on (resolve_normal_ct)', () => {
    const { ack } = outcome();
    const states = ack.flatMap((event) => (event.kind === 'conntrack' ? [event.state] : []));
    expect(states).toEqual(['ESTABLISHED', 'ESTABLISHED', 'ESTABLISHED', 'ESTABLISHED']);
  });

  test('needs all four: without the last, connect() waits in vain (sctp_sf_do_5_1E_ca)', () => {
    const lost = outcome({
      commands: ['iptables -I FORWARD -p sctp --chunk-types any COOKIE_ACK -j DROP'],
    });
    expect(lost).toMatchObject({ verdict: 'timeout', cause: { code: 'rule-drop', at: { part: 'ack' } } });
    const noEcho = outcome({ commands: ['iptables -I FORWARD -p sctp --chunk-types any COOKIE_ECHO -j DROP'] });
    expect(noEcho).toMatchObject({ verdict: 'timeout', server: null });
  });

  test.each<[ProxyMode, string]>([
    ['iptables', '1.33'],
    ['ipvs', '1.33'],
    ['nftables', '1.33'],
  ])('goes by a service in mode %s', (kubeProxy, version) => {
    expect(outcome({ kubeProxy, version })).toMatchObject({ verdict: 'connected', server: 'pod/default/amf' });
  });

  test('masquerading changes the address, and the port as for TCP (nf_nat_l4proto_unique_tuple)', () => {
    const { verdict, source } = outcome({ from: 'external/radio', to: 'node/node-1:30412' });
    expect({ verdict, source }).toEqual({ verdict: 'connected', source: '192.168.0.11' });
  });

  test('has no proxy in mode userspace (newProxySocket)', () => {
    expect(outcome({ kubeProxy: 'userspace', version: '1.25' }).verdict).not.toBe('connected');
  });
});

describe('no association', () => {
  test('a closed port answers ABORT, and connect() is refused (sctp_sf_tabort_8_4_8, sctp_sf_cookie_wait_abort)', () => {
    const { verdict, reply, cause } = outcome({ to: 'pod/amf:9999' });
    expect({ verdict, cause: cause?.code }).toEqual({ verdict: 'refused', cause: 'port-not-listening' });
    expect(chunks(reply)).toEqual(['ABORT']);
  });

  test('an ABORT is translated back like any answer', () => {
    const { reply } = outcome({
      commands: ['iptables -t nat -I PREROUTING -d 10.96.0.77 -p sctp -j DNAT --to-destination 10.244.1.2:9999'],
      to: '10.96.0.77:38412',
    });
    expect(reply.findLast(({ packet }) => packet !== undefined)?.packet).toMatchObject({ chunk: 'ABORT', src: '10.96.0.77' });
  });

  test('an ICMP error is no refusal: INIT is sent on until connect() gives up (sctp_v4_err_handle: sk_err_soft)', () => {
    const { verdict, cause, reply } = outcome({ to: 'svc/nobody:38412' });
    expect({ verdict, cause: cause?.code }).toEqual({ verdict: 'timeout', cause: 'no-endpoints' });
    expect(chunks(reply)).toEqual(['icmp']);
  });
});
