import { isIpv4Cidr, parseCidr } from '../../../net/cidr.ts';
import { familyOf, formatIp } from '../../../net/ip.ts';
import { formatPrefix, formatPrefixSet } from '../../../kernel/netfilter/nftables/intervals.ts';
import { localTrafficDetectorOf } from '../../services/local-traffic.ts';
import { interfaceAddressesOf, isLoopback, nodeIpOf, nodePortAddressesOf } from '../../services/node-port-addresses.ts';
import { atLeast, endpointPolicyOf } from '../../services/select-endpoints.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { LocalTrafficDetector } from '../../services/local-traffic.ts';
import type { EndpointPolicy } from '../../services/select-endpoints.ts';

/** What decides the table of one family on one node. */
export interface NftSettings {
  readonly family: IpFamily;
  /** "ip" or "ip6": the table's family, and how its rules name addresses. */
  readonly ip: 'ip' | 'ip6';
  readonly addressType: 'ipv4_addr' | 'ipv6_addr';
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  readonly detector: DetectorText | null;
  readonly endpointPolicy: EndpointPolicy;
  readonly nodeIp: IpAddress;
  /** Addresses at which node ports answer; null: at every address of the node but loopback. */
  readonly nodePortIps: readonly IpAddress[] | null;
  /** Right side of the test for addresses of services; null when kube-proxy does not know the ranges. */
  readonly serviceRanges: string | null;
  /** Which of kube-proxy's tables: that of 1.29 and 1.30 (alpha), or that of later releases. */
  readonly generation: 'alpha' | 'current';
}

/** The local-traffic test as it stands in a rule, and its opposite. */
export interface DetectorText {
  readonly local: string;
  readonly other: string;
}

/**
 * Reads the settings of one family of a node.
 * @param deviceAddresses addresses of devices that the model does not list (a CNI's bridge or tunnel): node ports may answer there
 */
export function nftSettingsOf(
  cluster: Cluster,
  node: Node,
  family: IpFamily,
  deviceAddresses: readonly IpAddress[],
): NftSettings {
  const { nftables } = cluster.kubeProxy;
  const ip = family === 4 ? 'ip' : 'ip6';
  const generation = atLeast(cluster.kubernetesVersion, 31) ? 'current' : 'alpha';
  return {
    family,
    ip,
    addressType: family === 4 ? 'ipv4_addr' : 'ipv6_addr',
    ...nftables,
    detector: detectorText(localTrafficDetectorOf(cluster, node, family), ip, generation),
    endpointPolicy: endpointPolicyOf(cluster, node),
    nodeIp: nodeIpOf(node, family),
    nodePortIps: nodePortIpsOf(cluster, node, family, deviceAddresses),
    serviceRanges: serviceRangesOf(cluster, family),
    generation,
  };
}

/** Unlike in iptables mode node ports answer at the node's own address only, if nothing else is asked for, and never on loopback. */
function nodePortIpsOf(
  cluster: Cluster,
  node: Node,
  family: IpFamily,
  deviceAddresses: readonly IpAddress[],
): readonly IpAddress[] | null {
  const own = nodeIpOf(node, family);
  const asked = cluster.kubeProxy.nodePortAddresses.some((text) => {
    const cidr = parseCidr(text);
    return cidr !== null && isIpv4Cidr(cidr) === (family === 4);
  });
  if (!asked) return isLoopback(own) ? [] : [own];
  const addresses = nodePortAddressesOf(cluster, node, family);
  if (addresses.matchesAll) return null;
  const all = [...interfaceAddressesOf(node, family), ...deviceAddresses.filter((address) => familyOf(address) === family)];
  return addresses.among(all).filter((address) => !isLoopback(address));
}

/** A bridge is named by its index in 1.30 (`iif`), which needs the device to exist, and by its name later. */
function detectorText(
  detector: LocalTrafficDetector | null,
  ip: string,
  generation: NftSettings['generation'],
): DetectorText | null {
  if (detector === null) return null;
  if (detector.kind === 'source') {
    const prefix = formatPrefix(detector.cidr);
    return { local: `${ip} saddr ${prefix}`, other: `${ip} saddr != ${prefix}` };
  }
  const name = `"${detector.device.replace(/\+$/, '*')}"`;
  const key = generation === 'alpha' ? 'iif' : 'iifname';
  return { local: `${key} ${name}`, other: `${key} != ${name}` };
}

/** kube-proxy hears of ServiceCIDR objects with the gate MultiCIDRServiceAllocator, which is on from 1.33. */
function serviceRangesOf(cluster: Cluster, family: IpFamily): string | null {
  const known = cluster.kubeProxy.featureGates.MultiCIDRServiceAllocator ?? atLeast(cluster.kubernetesVersion, 33);
  const ranges = cluster.serviceCidrs.filter((range) => isIpv4Cidr(range) === (family === 4));
  return known && ranges.length > 0 ? formatPrefixSet(ranges) : null;
}

/** "10.96.0.20 . tcp . 80": the key of a service port at one of its addresses. */
export function addressKey(address: IpAddress, protocol: string, port: number): string {
  return `${formatIp(address)} . ${protocol} . ${port}`;
}
