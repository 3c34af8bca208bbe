import { isIpv4Cidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpFamily } from '../../net/ip.ts';
import type { Cluster, Node } from '../model/cluster.ts';

/** How the proxy tells traffic of this node's (or this cluster's) pods from other traffic: by source prefix, or by input device ("PREFIX+" for a prefix). */
export type LocalTrafficDetector =
  | { readonly kind: 'source'; readonly cidr: Cidr }
  | { readonly kind: 'device'; readonly device: string };

/** The detector that `detectLocalMode` asks for; null when its range or name is not set for this family: then nothing is known to be local. */
export function localTrafficDetectorOf(cluster: Cluster, node: Node, family: IpFamily): LocalTrafficDetector | null {
  const { detectLocalMode, detectLocal, clusterCidrs } = cluster.kubeProxy;
  switch (detectLocalMode) {
    case 'ClusterCIDR':
      return bySource(clusterCidrs, family);
    case 'NodeCIDR':
      return bySource(node.podCidrs, family);
    case 'BridgeInterface':
      return byDevice(detectLocal.bridgeInterface, '');
    case 'InterfaceNamePrefix':
      return byDevice(detectLocal.interfaceNamePrefix, '+');
  }
}

function bySource(cidrs: readonly Cidr[], family: IpFamily): LocalTrafficDetector | null {
  const cidr = cidrs.find((c) => isIpv4Cidr(c) === (family === 4));
  return cidr === undefined ? null : { kind: 'source', cidr };
}

function byDevice(name: string, suffix: string): LocalTrafficDetector | null {
  return name === '' ? null : { kind: 'device', device: name + suffix };
}
