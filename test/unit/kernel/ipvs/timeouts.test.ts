import { expect, test } from 'vitest';
import { ipvsTimeout } from '../../../../src/kernel/ipvs/tcp-state.ts';
import { compile } from '../../../../src/kubernetes/compile.ts';
import { scenarioOf } from '../../../support/ask.ts';
import type { IpvsTcpState, IpvsTimeouts } from '../../../../src/kernel/ipvs/tcp-state.ts';

const SET: IpvsTimeouts = { tcp: 1, tcpFin: 2, udp: 3 };

test.each<[string, IpvsTcpState, IpvsTimeouts | undefined, number]>([
  ['tcp', 'ESTABLISHED', undefined, 900_000],
  ['tcp', 'FIN_WAIT', undefined, 120_000],
  ['udp', 'NONE', undefined, 300_000],
  ['tcp', 'ESTABLISHED', SET, 1],
  ['tcp', 'FIN_WAIT', SET, 2],
  // Only these two states of TCP are changed (ip_vs_set_timeout).
  ['tcp', 'SYN_RECV', SET, 60_000],
  ['udp', 'NONE', SET, 3],
  ['sctp', 'NONE', SET, 300_000],
])('%s in %s with %o: %i ms', (protocol, state, timeouts, expected) => {
  expect(ipvsTimeout(protocol, state, timeouts)).toBe(expected);
});

test('kube-proxy sets them by its configuration; 0 leaves what there is (NewProxier)', () => {
  const { cluster } = scenarioOf(`
kubeProxy: { mode: ipvs, ipvs: { tcpTimeout: 15m30s, tcpFinTimeout: 0s, udpTimeout: 5s } }
nodes: [{ name: node-1, ip: 192.168.0.11 }]
`);
  const compiled = compile(cluster);
  if (!compiled.ok) throw new Error('does not compile');
  expect(compiled.world.host('node/node-1')?.netfilter.ipvsTimeouts).toEqual({ tcp: 930_000, udp: 5_000 });
});
