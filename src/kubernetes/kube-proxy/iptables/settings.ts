import { formatCidr } from '../../../net/cidr.ts';
import { serviceMapOf } from '../../services/service-map.ts';
import { endpointPolicyOf } from '../../services/select-endpoints.ts';
import { localTrafficDetectorOf } from '../../services/local-traffic.ts';
import { interfaceAddressesOf, nodeIpOf, nodePortAddressesOf } from '../../services/node-port-addresses.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { LocalTrafficDetector } from '../../services/local-traffic.ts';
import type { NodePortAddresses } from '../../services/node-port-addresses.ts';
import type { EndpointPolicy } from '../../services/select-endpoints.ts';

/** Above this number of endpoints the comments of endpoint rules are left out (largeClusterEndpointsThreshold). */
const LARGE_CLUSTER_ENDPOINTS = 1000;

/** What decides the rules of every service port of one family on one node. */
export interface ProxySettings {
  readonly family: IpFamily;
  /** Prefix length that iptables-save prints behind a single address: "/32", "/128". */
  readonly hostSuffix: string;
  /** The masquerade mark as iptables-save prints it: "0x4000". */
  readonly mark: string;
  readonly masqueradeAll: boolean;
  readonly detector: DetectorText | null;
  readonly endpointPolicy: EndpointPolicy;
  readonly nodeIp: IpAddress;
  readonly nodePortAddresses: NodePortAddresses;
  /** All addresses of the node's interfaces, of this family. */
  readonly interfaceAddresses: readonly IpAddress[];
  /** Node ports answer on 127.0.0.1 too, by route_localnet. IPv4 only. */
  readonly localhostNodePorts: boolean;
  /** Rules of endpoints go without comments. */
  readonly largeCluster: boolean;
  /** Invalid packets are not dropped, since conntrack takes TCP liberally. */
  readonly conntrackLiberal: boolean;
}

/** The local-traffic test in pieces: iptables-save prints -s in front of -d and -i behind it. */
export interface DetectorText {
  /** `-s CIDR ` or ''. */
  readonly localSource: string;
  readonly localDevice: string;
  readonly otherSource: string;
  readonly otherDevice: string;
}

/**
 * Reads the settings of one family of a node.
 * @param deviceAddresses addresses of devices that the model does not list (a CNI's bridge or tunnel): node ports may answer there
 */
export function proxySettingsOf(
  cluster: Cluster,
  node: Node,
  family: IpFamily,
  deviceAddresses: readonly IpAddress[] = [],
): ProxySettings {
  const config = cluster.kubeProxy;
  const nodePortAddresses = nodePortAddressesOf(cluster, node, family);
  const isOurs = (address: IpAddress): boolean => (typeof address === 'number') === (family === 4);
  return {
    family,
    hostSuffix: family === 4 ? '/32' : '/128',
    mark: `0x${((1 << config.iptables.masqueradeBit) >>> 0).toString(16)}`,
    masqueradeAll: config.iptables.masqueradeAll,
    detector: detectorText(localTrafficDetectorOf(cluster, node, family)),
    endpointPolicy: endpointPolicyOf(cluster, node),
    nodeIp: nodeIpOf(node, family),
    nodePortAddresses,
    interfaceAddresses: [...interfaceAddressesOf(node, family), ...deviceAddresses.filter(isOurs)],
    localhostNodePorts: config.iptables.localhostNodePorts && nodePortAddresses.coversLoopback,
    largeCluster: serviceMapOf(cluster, family).hasMoreEndpointsThan(LARGE_CLUSTER_ENDPOINTS),
    conntrackLiberal:
      config.conntrackTcpBeLiberal || Number(node.sysctls['net.netfilter.nf_conntrack_tcp_be_liberal'] ?? 0) !== 0,
  };
}

function detectorText(detector: LocalTrafficDetector | null): DetectorText | null {
  if (detector === null) return null;
  if (detector.kind === 'source') {
    const match = `-s ${formatCidr(detector.cidr)} `;
    return { localSource: match, otherSource: `! ${match}`, localDevice: '', otherDevice: '' };
  }
  const match = `-i ${detector.device} `;
  return { localSource: '', otherSource: '', localDevice: match, otherDevice: `! ${match}` };
}
