import { formatCidr } from '../../../net/cidr.ts';
import { formatIp } from '../../../net/ip.ts';
import { bridgeDevices, bridgeNeighbours, isOnBridge, podOnBridge } from '../bridged.ts';
import { podAddress, podKey, podRange } from '../../cluster-index.ts';
import { EMPTY_NODE_NETWORK } from '../mode.ts';
import { NETWORK_NAME, podChain, podComment } from '../../sandbox-id.ts';
import { MAC_PREFIX } from '../../stable-mac.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { CniConfig, Node, Pod } from '../../model/cluster.ts';
import type { CniContext, CniMode } from '../mode.ts';
import type { BridgeSettings } from '../bridged.ts';
import type { ChainRules } from '../../add-rules.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';

export type BridgeConfig = Extract<CniConfig, { plugin: 'bridge' }>;

/** CNI's bridge plugin alone: every node has its own bridge, nothing connects them. */
export function bridgeMode(config: BridgeConfig, context: CniContext): CniMode {
  const { index } = context;
  const settings: BridgeSettings = {
    bridge: 'cni0',
    macPrefix: MAC_PREFIX.pod,
    hairpinMode: config.hairpinMode,
    by: 'bridge-plugin',
  };
  const podsOf = (node: Node): readonly Pod[] => index.podsOf(node.name).filter((pod) => isOnBridge(pod, node.podCidrs));
  const mtuOf = (node: Node): number => config.mtu ?? context.uplinks(node)[0]?.mtu ?? node.mtu;
  return {
    portmap: { bridge: settings.bridge, network: NETWORK_NAME, subnet: podRange },
    node(node) {
      if (node.podCidrs.length === 0) return EMPTY_NODE_NETWORK;
      const pods = podsOf(node);
      return {
        ...EMPTY_NODE_NETWORK,
        devices: bridgeDevices(settings, node, node.podCidrs, pods, mtuOf(node)),
        knownMac: bridgeNeighbours(settings, pods),
      };
    },
    pod(pod) {
      const node = index.node(pod.node);
      return node ? podOnBridge(settings, pod, node, node.podCidrs, index.cluster.podCidrs, mtuOf(node), podsOf(node)) : null;
    },
    rules: (node, family) => (config.ipMasq ? podsOf(node).flatMap((pod) => masqueradeRules(pod, node, family)) : []),
    underlayRoutes: () => [],
  };
}

/**
 * What `ipMasq` makes for each pod (ip.SetupIPMasq of the CNI plugins): a chain that lets its own range pass and masquerades the rest.
 * Roles: "masquerade-jump", "to-node", "masquerade-out".
 */
function masqueradeRules(pod: Pod, node: Node, family: IpFamily): readonly ChainRules[] {
  const address = podAddress(pod, family);
  const range = podRange(node, family);
  if (address === null || range === null) return [];
  const chain = podChain('CNI-', pod);
  const comment = `-m comment --comment "${podComment(pod)}"`;
  const line = (body: string, role: string): RuleLine => ({
    body,
    origin: { object: `Pod ${podKey(pod)}`, by: 'bridge-plugin', role },
  });
  const [multicast, length] = family === 4 ? ['224.0.0.0/4', 32] : ['ff00::/8', 128];
  return [
    {
      table: 'nat',
      chain,
      lines: [
        line(`-d ${formatCidr(range)} ${comment} -j ACCEPT`, 'to-node'),
        line(`! -d ${multicast} ${comment} -j MASQUERADE`, 'masquerade-out'),
      ],
    },
    {
      table: 'nat',
      chain: 'POSTROUTING',
      lines: [line(`-s ${formatIp(address)}/${length} ${comment} -j ${chain}`, 'masquerade-jump')],
    },
  ];
}
