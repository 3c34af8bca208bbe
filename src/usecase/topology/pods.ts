import { formatRoute } from '../../kernel/routing/format.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { podKey } from '../../kubernetes/cluster-index.ts';
import { devicesOf, socketsOf } from './device.ts';
import type { World } from '../../kernel/world.ts';
import type { Cluster, Pod } from '../../kubernetes/model/cluster.ts';
import type { TopologyPod } from '../../trace/topology.ts';

/** A pod with the namespace that it has, or that of its node. */
export function podOf(pod: Pod, { cni }: Cluster, world: World): TopologyPod {
  const host = pod.hostNetwork ? undefined : world.host(`pod/${podKey(pod)}`);
  const containers = pod.containers ?? [pod.name];
  return {
    name: `pod/${podKey(pod)}`,
    hostNetwork: pod.hostNetwork,
    ready: pod.ready,
    containers,
    // Docker alone starts a container in a namespace of its own; only containers that share one need somebody to hold it.
    pause: !pod.hostNetwork && (cni.plugin !== 'docker' || containers.length > 1),
    devices: host ? devicesOf(host) : [],
    routes: host ? [...(host.routing.tables.get(TABLE_MAIN)?.routes() ?? [])].map(formatRoute) : [],
    listens: host ? socketsOf(host) : ownPorts(pod),
  };
}

/** What a pod in its node's namespace listens on. */
function ownPorts({ ports, assumedPorts }: Pod): TopologyPod['listens'] {
  return [...ports.filter(({ listens }) => listens), ...assumedPorts].map(({ protocol, port }) => ({ protocol, port }));
}
