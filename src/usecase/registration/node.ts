import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { dumpsOf } from '../../kubernetes/model/node-dump.ts';
import { cniName } from '../cni-name.ts';
import { fullName } from './words.ts';
import type { Host } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';
import type { Cluster, EndpointSlice, Node } from '../../kubernetes/model/cluster.ts';
import type { ExplainedNode } from '../../trace/explanation.ts';

/** A node in short: what runs there, its ranges, and how much the controllers have made there. */
export function explainNode(cluster: Cluster, node: Node, world: World): ExplainedNode {
  const host = world.host(`node/${node.name}`);
  return {
    name: node.name,
    addresses: node.addresses.map(formatIp),
    podCidrs: node.podCidrs.map(formatCidr),
    cni: cniName(cluster.cni),
    proxyMode: cluster.kubeProxy.mode,
    zone: node.labels['topology.kubernetes.io/zone'] ?? null,
    dumps: dumpsOf(node).map(({ file }) => file),
    pods: cluster.pods.filter((pod) => pod.node === node.name).map(fullName),
    services: servicesHere(cluster, node.name),
    state: host === undefined ? [] : stateOf(host).filter(({ count }) => count > 0),
  };
}

function servicesHere({ endpointSlices }: Cluster, node: string): readonly string[] {
  const here = endpointSlices.filter((slice) => hasEndpointOn(slice, node));
  return [...new Set(here.map(({ namespace, service }) => `${namespace}/${service}`))];
}

/** A derived slice knows its pods without making its endpoints. */
function hasEndpointOn(slice: EndpointSlice, node: string): boolean {
  if (slice.pods !== undefined) return slice.pods.some((pod) => pod.node === node);
  return slice.endpoints.some(({ nodeName }) => nodeName === node);
}

function stateOf({ devices, netfilter, routing, listeners }: Host): ExplainedNode['state'] {
  const { iptables, ip6tables, ipsets, nftables, ipvs } = netfilter;
  const chains = [iptables, ip6tables].map((tables) =>
    [...tables.values()].flatMap((table) => [...table.chainNames()].flatMap((name) => table.chain(name) ?? [])),
  );
  const counts = chains.map((all) => ({ chains: all.length, rules: all.reduce((sum, { length }) => sum + length, 0) }));
  const nftChains = nftables.flatMap((table) => [...table.chains()]);
  const elements = nftables.flatMap((table) => [...table.sets()]).reduce((sum, set) => sum + set.elements().length, 0);
  return [
    { what: 'devices', count: devices.size },
    { what: 'routes', count: [...routing.tables.values()].reduce((sum, table) => sum + [...table.routes()].length, 0) },
    { what: 'listening sockets', count: listeners.length },
    { what: 'iptables chains', count: counts[0]!.chains },
    { what: 'iptables rules', count: counts[0]!.rules },
    { what: 'ip6tables rules', count: counts[1]!.rules },
    { what: 'nftables chains', count: nftChains.length },
    { what: 'nftables set elements', count: elements },
    { what: 'IPVS virtual servers', count: ipvs.length },
    { what: 'ipsets', count: ipsets.size },
  ];
}
