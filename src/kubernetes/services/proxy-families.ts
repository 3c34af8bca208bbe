import { familyOf, isIpv4 } from '../../net/ip.ts';
import type { IpFamily } from '../../net/ip.ts';
import type { Cluster, Node } from '../model/cluster.ts';

/**
 * The families for which kube-proxy makes rules on a node: those in which the node has an address; IPv4 first. A cluster whose services
 * all have IPv6 addresses only is taken to be a single-stack one, where kube-proxy leaves IPv4 alone.
 */
export function proxyFamilies(cluster: Cluster, node: Node): readonly IpFamily[] {
  const addresses = cluster.services.flatMap((service) => service.clusterIps);
  const onlyIpv6 = addresses.length > 0 && !addresses.some(isIpv4);
  return ([4, 6] as const).filter(
    (family) => node.addresses.some((address) => familyOf(address) === family) && !(family === 4 && onlyIpv6),
  );
}
