import { formatCidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { dumpsOf } from '../../kubernetes/model/node-dump.ts';
import { sysctl } from '../../kernel/sysctl.ts';
import { devicesOf } from './device.ts';
import { entrancesOf } from './entrances.ts';
import { hasConntrack, hooksOf } from './hooks.ts';
import { podOf } from './pods.ts';
import { routesOf } from './routes.ts';
import type { Host } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';
import type { Cluster, Node, Pod } from '../../kubernetes/model/cluster.ts';
import type { TopologyDetail, TopologyNode } from '../../trace/topology.ts';

/** A node and the pods on it. `detailed`: with its routes, hooks and ways in. */
export function nodeOf(node: Node, pods: readonly Pod[], cluster: Cluster, world: World, detailed: boolean): TopologyNode {
  const host = world.host(`node/${node.name}`);
  return {
    name: node.name,
    addresses: node.addresses.map(formatIp),
    podCidrs: node.podCidrs.map(formatCidr),
    devices: host ? devicesOf(host) : [],
    pods: pods.map((pod) => podOf(pod, cluster, world)),
    detail: detailed && host ? detailOf(node, pods, cluster, host) : null,
  };
}

function detailOf(node: Node, pods: readonly Pod[], cluster: Cluster, host: Host): TopologyDetail {
  const { routes, more } = routesOf(host, cluster);
  return {
    forwarding: sysctl(host.sysctls, 'net.ipv4.ip_forward') !== 0,
    bridgeNetfilter: sysctl(host.sysctls, 'net.bridge.bridge-nf-call-iptables') !== 0,
    conntrack: hasConntrack(host),
    dumps: dumpsOf(node).map(({ file }) => file),
    hooks: hooksOf(host),
    routes,
    moreRoutes: more,
    entrances: entrancesOf(cluster, node, pods, host),
  };
}
