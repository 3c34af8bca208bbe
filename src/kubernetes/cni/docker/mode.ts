import { cidrOf } from '../../../net/cidr.ts';
import { ipv4 } from '../../../net/ip.ts';
import { bridgeDevices, bridgeNeighbours, podOnBridge } from '../bridged.ts';
import { nodeAddress, podAddress, podRange } from '../../cluster-index.ts';
import { EMPTY_NODE_NETWORK } from '../mode.ts';
import { MAC_PREFIX } from '../../stable-mac.ts';
import { masqueradeRules, publishedPortRules } from './rules.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { CniConfig, Node, Pod } from '../../model/cluster.ts';
import type { CniContext, CniMode } from '../mode.ts';
import type { BridgeSettings } from '../bridged.ts';

export type DockerConfig = Extract<CniConfig, { plugin: 'docker' }>;

/** Docker's default range. */
const DEFAULT_RANGE = cidrOf(ipv4(0xac110000), 16);

/**
 * Containers on docker0, which has IPv4 alone: 172.17.0.0/16 on a lone host; with several hosts each has its own range, and the router between them knows
 * the way to each.
 */
export function dockerMode(config: DockerConfig, context: CniContext): CniMode {
  const { index } = context;
  const settings: BridgeSettings = {
    bridge: 'docker0',
    macPrefix: MAC_PREFIX.node,
    hairpinMode: config.hairpinMode,
    by: 'docker',
  };
  const podsOf = (node: Node): readonly Pod[] =>
    index.podsOf(node.name).filter((pod) => !pod.hostNetwork && podAddress(pod, 4) !== null);
  const rangeOf = (node: Node): Cidr => podRange(node, 4) ?? DEFAULT_RANGE;
  const mtuOf = (node: Node): number => config.mtu ?? context.uplinks(node)[0]?.mtu ?? node.mtu;
  return {
    portmap: null,
    node(node) {
      const pods = podsOf(node);
      return {
        ...EMPTY_NODE_NETWORK,
        devices: bridgeDevices(settings, node, [rangeOf(node)], pods, mtuOf(node)),
        knownMac: bridgeNeighbours(settings, pods),
      };
    },
    pod(pod) {
      const node = index.node(pod.node);
      return node ? podOnBridge(settings, pod, node, [rangeOf(node)], [], mtuOf(node), podsOf(node)) : null;
    },
    rules: (node, family) =>
      family === 4 ? [...masqueradeRules('docker0', rangeOf(node)), ...publishedPortRules('docker0', podsOf(node))] : [],
    underlayRoutes: () =>
      index.cluster.nodes.length < 2
        ? []
        : index.cluster.nodes.flatMap((node) => {
            const via = nodeAddress(node, 4);
            return via === null ? [] : [{ dst: rangeOf(node), via, node: node.name }];
          }),
  };
}
