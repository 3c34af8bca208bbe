import { describe, expect, test } from 'vitest';
import type { KernelEvent, Layer } from '../../../src/trace/event.ts';
import { layerContext, withLayers } from '../../../src/usecase/layers.ts';
import { cluster, ip, node } from './fixtures.ts';
import { dnat, drop, route, rule, rx, tx } from './events.ts';

const inside = layerContext(
  cluster({
    nodes: [
      node('node-1', '192.168.0.11', '10.244.0.0/24', {
        interfaces: [{ name: 'eth1', address: ip('10.0.2.15'), length: 24, subnet: null, mtu: 1500 }],
      }),
    ],
  }),
  'pod/default/client',
);
const outside = { ...inside, fromOutside: true };

const services = rule('node/node-1', 'PREROUTING nat KUBE-SERVICES 1', '-A KUBE-SERVICES -d 10.96.0.20/32 -j KUBE-SVC-X', 'jump');
const nodePorts = rule('node/node-1', 'PREROUTING nat KUBE-NODEPORTS 1', '-A KUBE-NODEPORTS -j KUBE-EXT-X', 'jump');
const operator = rule('node/node-1', 'FORWARD filter FORWARD 1', '-A FORWARD -j DROP', 'drop');
const hostPort = rule('node/node-1', 'PREROUTING nat CNI-HOSTPORT-DNAT 1', '-A CNI-HOSTPORT-DNAT -j CNI-DN-X', 'jump');

describe('withLayers', () => {
  test.each<[string, KernelEvent, Layer]>([
    ['a pod', tx('pod/default/client', 'eth0'), 'L1'],
    ['a veth of a node', rx('node/node-1', 'veth1'), 'L1'],
    ["a node's first interface", tx('node/node-1', 'eth0'), 'L0'],
    ["a node's further interface", tx('node/node-1', 'eth1'), 'L0'],
    ['the underlay', rx('underlay', 'ul-node-1'), 'L0'],
    ['an outer packet', { ...operator, outer: true }, 'L0'],
    ['an external host', rx('external/laptop', 'eth0'), 'L3'],
    ['a route into the overlay', route('node/node-1', '10.244.1.0/24 dev flannel.1', 'flannel.1'), 'L1'],
    ['a route out of the node', route('node/node-1', 'default dev eth0', 'eth0'), 'L0'],
    ["kube-proxy's rule", services, 'L2'],
    ['a node port from inside', nodePorts, 'L2'],
    ["an operator's rule", operator, 'L1'],
    ['a hostPort', hostPort, 'L3'],
    ['a service address put back by conntrack', dnat('node/node-1', '10.96.0.20', '10.244.0.3'), 'L2'],
    ['another translation by conntrack', dnat('node/node-1', '10.1.1.1', '10.244.0.3'), 'L1'],
  ])('%s', (_what, event, layer) => {
    expect(withLayers([event], inside)[0]!.layer).toBe(layer);
  });

  test('node ports are external access for a client outside', () => {
    expect(withLayers([services, nodePorts], outside).map((e) => e.layer)).toEqual(['L2', 'L3']);
  });

  test('a translation and a drop belong to the rule that caused them', () => {
    const events = [
      nodePorts,
      dnat('node/node-1', '192.168.0.11', '10.244.0.3'),
      services,
      drop('node/node-1', 'NETFILTER_DROP', 'nft_do_chain'),
    ];
    expect(withLayers(events, outside).map((e) => e.layer)).toEqual(['L3', 'L3', 'L2', 'L2']);
  });
});
