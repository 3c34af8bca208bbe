import { once } from '../../../support/once.ts';
import { EMPTY_NODE_NETWORK } from '../mode.ts';
import { BRIDGE, BRIDGE_PORT, weaveNodeNetwork, weavePodNetwork } from './devices.ts';
import { weaveNetwork } from './network.ts';
import { knownNamespaces, policyRules } from './npc.ts';
import { routerRules } from './rules.ts';
import { defaultAllowSets, noMasqueradeSet } from './sets.ts';
import type { WeaveConfig } from './devices.ts';
import type { CniContext, CniMode } from '../mode.ts';

/** Weave Net as its DaemonSet sets it up (weave-kube 2.8): one flat network over all nodes, fast datapath, the policy controller. */
export function weaveMode(config: WeaveConfig, { index }: CniContext): CniMode | { readonly notModelled: string } {
  const network = weaveNetwork(index);
  if (network === null) return { notModelled: 'CNI plugin weave without a pod range of IPv4' };
  const { cluster } = index;
  const namespaces = once(() => knownNamespaces([...cluster.pods, ...cluster.services].map(({ namespace }) => namespace)));
  const allowSets = once(() => defaultAllowSets(cluster.pods, namespaces()));
  return {
    portmap: { bridge: BRIDGE, network: 'weave', subnet: (_, family) => (family === 4 ? network.range : null) },
    node(node) {
      const peer = network.peer(node.name);
      return peer ? weaveNodeNetwork(config, network, peer) : EMPTY_NODE_NETWORK;
    },
    pod(pod) {
      const peer = network.peer(pod.node);
      return peer ? weavePodNetwork(config, network, pod, peer) : null;
    },
    rules(node, family) {
      if (family === 6 || !network.peer(node.name)) return [];
      return [...routerRules(network.range, config.npc), ...(config.npc ? policyRules(BRIDGE_PORT, namespaces()) : [])];
    },
    ipsets(node) {
      const peer = network.peer(node.name);
      return peer ? [noMasqueradeSet(network, peer), ...(config.npc ? allowSets() : [])] : [];
    },
    ownAddresses(node) {
      const peer = network.peer(node.name);
      return peer ? [peer.bridge] : [];
    },
    underlayRoutes: () => [],
  };
}
