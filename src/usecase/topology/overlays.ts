import type { TopologyNode, TopologyOverlay } from '../../trace/topology.ts';

/** The tunnels of some nodes: devices of one name and one VNI on several nodes are one. */
export function overlaysOf(nodes: readonly TopologyNode[]): readonly TopologyOverlay[] {
  const overlays = new Map<string, TopologyOverlay>();
  for (const { name, tunnel, by } of nodes.flatMap(({ devices }) => devices)) {
    if (tunnel === null) continue;
    const overlay: TopologyOverlay = { kind: 'vxlan', device: name, vni: tunnel.vni, port: tunnel.port, by };
    overlays.set(JSON.stringify(overlay), overlay);
  }
  return [...overlays.values()];
}
