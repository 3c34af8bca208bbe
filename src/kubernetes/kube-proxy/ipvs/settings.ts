import { cidrContains, cidrOf, formatCidr } from '../../../net/cidr.ts';
import { familyOf, ipv6 } from '../../../net/ip.ts';
import { localTrafficDetectorOf } from '../../services/local-traffic.ts';
import { interfaceAddressesOf, isLoopback, nodeIpOf, nodePortAddressesOf } from '../../services/node-port-addresses.ts';
import { atLeast, endpointPolicyOf } from '../../services/select-endpoints.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { LocalTrafficDetector } from '../../services/local-traffic.ts';
import type { EndpointPolicy } from '../../services/select-endpoints.ts';

/** What decides the IPVS state of one family on one node. */
export interface IpvsSettings {
  readonly family: IpFamily;
  readonly scheduler: string;
  /** The masquerade mark as iptables-save prints it: "0x4000". */
  readonly mark: string;
  readonly masqueradeAll: boolean;
  /** `-s CIDR` or `-i DEVICE`: traffic of pods; null when nothing tells it. */
  readonly local: string | null;
  readonly endpointPolicy: EndpointPolicy;
  readonly nodeIp: IpAddress;
  /** Every address of this family that some device has, before kube-ipvs0 comes. */
  readonly interfaceAddresses: readonly IpAddress[];
  /** Ports of kube-ipvs0's addresses that no service has are refused: KUBE-IPVS-FILTER, since 1.26 (k/k#108460). */
  readonly guardsAddresses: boolean;
  /** KUBE-IPVS-OUT-FILTER is there: since 1.29 (k/k#119791). */
  readonly filtersOutput: boolean;
  /** Addresses at which node ports answer. */
  readonly nodePortIps: readonly IpAddress[];
}

const LINK_LOCAL_6 = cidrOf(ipv6(0xfe80n << 112n), 10);

/**
 * Reads the settings of one family of a node. The masquerade settings are those of iptables mode, as in kube-proxy's configuration.
 * @param deviceAddresses addresses of devices that the model does not list (a CNI's bridge or tunnel)
 */
export function ipvsSettingsOf(
  cluster: Cluster,
  node: Node,
  family: IpFamily,
  deviceAddresses: readonly IpAddress[],
): IpvsSettings {
  const { iptables, ipvs } = cluster.kubeProxy;
  const devices = deviceAddresses.filter((address) => familyOf(address) === family);
  const interfaceAddresses = [...interfaceAddressesOf(node, family), ...devices];
  const allowed = nodePortAddressesOf(cluster, node, family).among(interfaceAddresses);
  return {
    family,
    scheduler: ipvs.scheduler,
    mark: `0x${((1 << iptables.masqueradeBit) >>> 0).toString(16)}`,
    masqueradeAll: iptables.masqueradeAll,
    local: detectorText(localTrafficDetectorOf(cluster, node, family)),
    endpointPolicy: endpointPolicyOf(cluster, node),
    nodeIp: nodeIpOf(node, family),
    interfaceAddresses,
    guardsAddresses: atLeast(cluster.kubernetesVersion, 26),
    filtersOutput: atLeast(cluster.kubernetesVersion, 29),
    nodePortIps: allowed.filter((address) => !isLoopback(address) && !cidrContains(LINK_LOCAL_6, address)),
  };
}

function detectorText(detector: LocalTrafficDetector | null): string | null {
  if (detector === null) return null;
  return detector.kind === 'source' ? `-s ${formatCidr(detector.cidr)}` : `-i ${detector.device}`;
}
