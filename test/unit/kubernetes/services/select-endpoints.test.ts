import { describe, expect, test } from 'vitest';
import { selectEndpoints } from '../../../../src/kubernetes/services/select-endpoints.ts';
import { aPolicy, aService, aServicePort, anEndpoint } from '../../../support/proxy-parts.ts';
import type { ProxyEndpoint } from '../../../../src/kubernetes/services/endpoints.ts';
import type { EndpointPolicy } from '../../../../src/kubernetes/services/select-endpoints.ts';
import type { ProxyServicePort } from '../../../../src/kubernetes/services/service-port.ts';

const here = { nodeName: 'here' };
const there = { nodeName: 'there' };
const unready = { ready: false, serving: false };
const ending = { ready: false, serving: true, terminating: true };
const local: Partial<ProxyServicePort> = { internalLocal: true, usesLocal: true, usesCluster: false };
const externalLocal: Partial<ProxyServicePort> = { externalLocal: true, hasExternal: true, usesLocal: true };
const hinted: Partial<ProxyServicePort> = {
  service: aService({ annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } }),
};

interface Case {
  readonly name: string;
  readonly port?: Partial<ProxyServicePort>;
  readonly policy?: Partial<EndpointPolicy>;
  readonly endpoints: readonly ProxyEndpoint[];
  readonly cluster: string;
  readonly local: string;
  readonly reachable: string;
  /** endpoints, internal, external */
  readonly has: readonly [boolean, boolean, boolean];
}

const CASES: readonly Case[] = [
  { name: 'nothing', endpoints: [], cluster: '', local: '', reachable: '', has: [false, false, false] },
  {
    name: 'ready ones',
    endpoints: [anEndpoint('a', here), anEndpoint('b', there), anEndpoint('c', unready)],
    cluster: 'a b',
    local: '',
    reachable: 'a b',
    has: [true, true, true],
  },
  {
    name: 'ending ones serve when none is ready',
    endpoints: [anEndpoint('a', ending), anEndpoint('b', unready)],
    cluster: 'a',
    local: '',
    reachable: 'a',
    has: [true, true, true],
  },
  {
    name: 'ending ones stand back behind ready ones',
    endpoints: [anEndpoint('a', ending), anEndpoint('b')],
    cluster: 'b',
    local: '',
    reachable: 'b',
    has: [true, true, true],
  },
  {
    name: 'an ending one that does not serve is gone',
    endpoints: [anEndpoint('a', { ...ending, serving: false })],
    cluster: '',
    local: '',
    reachable: '',
    has: [false, false, false],
  },
  {
    name: 'internal Local keeps to this node',
    port: local,
    endpoints: [anEndpoint('a', here), anEndpoint('b', there)],
    cluster: '',
    local: 'a',
    reachable: 'a',
    has: [true, true, true],
  },
  {
    name: 'internal Local without a local one',
    port: local,
    endpoints: [anEndpoint('b', there)],
    cluster: '',
    local: '',
    reachable: '',
    has: [true, false, true],
  },
  {
    name: 'external Local without a local one',
    port: externalLocal,
    endpoints: [anEndpoint('b', there)],
    cluster: 'b',
    local: '',
    reachable: 'b',
    has: [true, true, false],
  },
  {
    name: 'external Local: an ending local one serves beside ready ones elsewhere',
    port: externalLocal,
    endpoints: [anEndpoint('a', { ...here, ...ending }), anEndpoint('b', there)],
    cluster: 'b',
    local: 'a',
    reachable: 'a b',
    has: [true, true, true],
  },
  {
    name: 'of one text the first counts',
    endpoints: [anEndpoint('a', there), anEndpoint('a', { ...there, ...unready })],
    cluster: 'a',
    local: '',
    reachable: 'a',
    has: [true, true, true],
  },
  {
    name: 'of one text a local one counts, ready or not',
    endpoints: [anEndpoint('a', there), anEndpoint('a', { ...here, ...unready }), anEndpoint('a', there)],
    cluster: '',
    local: '',
    reachable: '',
    has: [false, false, false],
  },
  {
    name: 'zone hints',
    port: hinted,
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b', { hintZones: ['b'] })],
    cluster: 'a',
    local: '',
    reachable: 'a',
    has: [true, true, true],
  },
  {
    name: 'zone hints need the annotation in 1.30',
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b', { hintZones: ['b'] })],
    cluster: 'a b',
    local: '',
    reachable: 'a b',
    has: [true, true, true],
  },
  {
    name: 'zone hints alone from 1.31 on',
    policy: { zoneHints: 'always' },
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b', { hintZones: ['b'] })],
    cluster: 'a',
    local: '',
    reachable: 'a',
    has: [true, true, true],
  },
  {
    name: 'a ready endpoint without a hint turns hints off',
    port: hinted,
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b')],
    cluster: 'a b',
    local: '',
    reachable: 'a b',
    has: [true, true, true],
  },
  {
    name: 'an unready one without a hint does not',
    port: hinted,
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b', unready)],
    cluster: 'a',
    local: '',
    reachable: 'a',
    has: [true, true, true],
  },
  {
    name: 'no hint for this zone turns hints off',
    port: hinted,
    endpoints: [anEndpoint('b', { hintZones: ['b'] })],
    cluster: 'b',
    local: '',
    reachable: 'b',
    has: [true, true, true],
  },
  {
    name: 'a node without a zone has no hints',
    port: hinted,
    policy: { zone: '' },
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b', { hintZones: ['b'] })],
    cluster: 'a b',
    local: '',
    reachable: 'a b',
    has: [true, true, true],
  },
  {
    name: 'hints do not touch local endpoints',
    port: { ...hinted, ...externalLocal },
    endpoints: [anEndpoint('a', { hintZones: ['a'] }), anEndpoint('b', { ...here, hintZones: ['b'] })],
    cluster: 'a',
    local: 'b',
    reachable: 'a b',
    has: [true, true, true],
  },
  {
    name: 'node hints come before zone hints from 1.34 on',
    port: hinted,
    policy: { nodeHints: true },
    endpoints: [
      anEndpoint('a', { hintZones: ['a'], hintNodes: ['there'] }),
      anEndpoint('b', { hintZones: ['b'], hintNodes: ['here'] }),
    ],
    cluster: 'b',
    local: '',
    reachable: 'b',
    has: [true, true, true],
  },
];

describe('which endpoints a node uses', () => {
  test.each(CASES)('$name', ({ port, policy, endpoints, ...expected }) => {
    const selection = selectEndpoints(aServicePort(port), endpoints, aPolicy(policy));
    const names = (list: readonly ProxyEndpoint[]): string => list.map(({ ip }) => ip).join(' ');
    expect({
      name: expected.name,
      cluster: names(selection.cluster),
      local: names(selection.local),
      reachable: names(selection.reachable),
      has: [selection.hasEndpoints, selection.hasInternal, selection.hasExternal],
    }).toEqual(expected);
  });
});
