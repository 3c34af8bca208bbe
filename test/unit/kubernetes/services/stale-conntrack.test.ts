import { describe, expect, test } from 'vitest';
import { HostState } from '../../../../src/kernel/state.ts';
import { newEntry } from '../../../../src/kernel/netfilter/conntrack/entry.ts';
import { deleteStaleEntries } from '../../../../src/kubernetes/services/stale-conntrack.ts';
import type { Cluster } from '../../../../src/kubernetes/model/cluster.ts';
import { scenarioOf } from '../../scenario/load-text.ts';
import { ip } from '../../usecase/fixtures.ts';

interface Given {
  readonly pods: readonly string[];
  readonly service?: boolean;
}

const SERVICE =
  '{ name: dns, type: LoadBalancer, clusterIP: 10.96.0.53, selector: { app: dns }, externalIPs: [192.0.2.1], ' +
  'status: { loadBalancer: { ingress: [{ ip: 198.51.100.1 }] } }, ports: [{ port: 53, protocol: UDP, nodePort: 30053 }] }';

/** A UDP service, and pods "ADDRESS" or "ADDRESS not-ready" or "ADDRESS terminating". */
function cluster(version: string, { pods, service = true }: Given): Cluster {
  const list = pods.map((text, i) => {
    const [address, state] = text.split(' ');
    const more = state === 'not-ready' ? ', ready: false' : state === 'terminating' ? ', terminating: true' : '';
    return `{ name: p${i}, node: n, ip: ${address}, labels: { app: dns }, ports: [{ containerPort: 53, protocol: UDP }]${more} }`;
  });
  return scenarioOf(`
cluster: { kubernetesVersion: "${version}" }
nodes: [{ name: n, ip: 192.168.0.11 }]
pods: [${list.join(', ')}]
services: [${service ? SERVICE : ''}]`).cluster;
}

const ENTRIES: Readonly<Record<string, readonly [protocol: string, to: string, port: number, server: string]>> = {
  'cluster IP to a': ['udp', '10.96.0.53', 53, '10.244.0.2'],
  'cluster IP to b': ['udp', '10.96.0.53', 53, '10.244.0.3'],
  'external IP to a': ['udp', '192.0.2.1', 53, '10.244.0.2'],
  'balancer to a': ['udp', '198.51.100.1', 53, '10.244.0.2'],
  'node port to a': ['udp', '192.168.0.11', 30053, '10.244.0.2'],
  'a itself': ['udp', '10.244.0.2', 53, '10.244.0.2'],
  'tcp to a': ['tcp', '10.96.0.53', 53, '10.244.0.2'],
  'cluster IP, no DNAT': ['udp', '10.96.0.53', 53, '10.96.0.53'],
};
const VIA_SERVICE_TO_A = ['cluster IP to a', 'external IP to a', 'balancer to a', 'node port to a'];

/** The entries that are gone afterwards. */
function deleted(version: string, before: Given, after: Given): readonly string[] {
  const state = new HostState();
  const client = ip('10.244.0.9');
  for (const [i, [protocol, to, port, server]] of Object.values(ENTRIES).entries()) {
    const sport = 40000 + i;
    const entry = newEntry(
      { protocol, src: client, dst: ip(to), sport, dport: port },
      { protocol, src: ip(server), dst: client, sport: server === to ? port : 53, dport: sport },
    );
    entry.dnat = server !== to;
    entry.expires = Number.POSITIVE_INFINITY;
    state.conntrack.insert(entry, 0);
  }
  deleteStaleEntries(state, cluster(version, before), cluster(version, after));
  const left = new Set(state.conntrack.entries().map(({ original }) => original.sport - 40000));
  return Object.keys(ENTRIES).filter((_, i) => !left.has(i));
}

const A = '10.244.0.2';
const B = '10.244.0.3';

describe.each(['1.30', '1.31'])('kube-proxy %s reacts to changes', (version) => {
  test.each<[string, Given, Given, readonly string[]]>([
    ['nothing changes', { pods: [A, B] }, { pods: [A, B] }, []],
    ['an endpoint goes', { pods: [A, B] }, { pods: [B] }, VIA_SERVICE_TO_A],
    ['the last endpoint goes', { pods: [A] }, { pods: [] }, VIA_SERVICE_TO_A],
    ['an endpoint is not ready any more', { pods: [A, B] }, { pods: [`${A} not-ready`, B] }, VIA_SERVICE_TO_A],
    ['an endpoint begins to end', { pods: [A, B] }, { pods: [`${A} terminating`, B] }, VIA_SERVICE_TO_A],
    ['an endpoint that was not ready goes', { pods: [`${A} not-ready`, B] }, { pods: [B] }, []],
    [
      'the first endpoint comes',
      { pods: [] },
      { pods: [A] },
      ['cluster IP to a', 'cluster IP to b', 'external IP to a', 'balancer to a', 'node port to a', 'cluster IP, no DNAT'],
    ],
    [
      'the service goes',
      { pods: [A, B] },
      { pods: [A, B], service: false },
      ['cluster IP to a', 'cluster IP to b', 'cluster IP, no DNAT'],
    ],
    [
      'the service comes',
      { pods: [A], service: false },
      { pods: [A] },
      ['cluster IP to a', 'cluster IP to b', 'external IP to a', 'balancer to a', 'node port to a', 'cluster IP, no DNAT'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(deleted(version, before, after)).toEqual(expected);
  });
});

describe.each(['1.32', '1.34'])('kube-proxy %s compares', (version) => {
  test.each<[string, Given, readonly string[]]>([
    ['both serve', { pods: [A, B] }, ['cluster IP, no DNAT']],
    ['a is gone', { pods: [B] }, [...VIA_SERVICE_TO_A, 'cluster IP, no DNAT']],
    ['a is not ready', { pods: [`${A} not-ready`, B] }, [...VIA_SERVICE_TO_A, 'cluster IP, no DNAT']],
    ['a ends, but still serves', { pods: [`${A} terminating`, B] }, ['cluster IP, no DNAT']],
    ['no endpoint is left: nothing is looked at', { pods: [] }, []],
    ['the service is gone: nobody asks for its entries', { pods: [A], service: false }, []],
  ])('%s', (_, after, expected) => {
    expect(deleted(version, { pods: [A, B] }, after)).toEqual(expected);
  });
});
