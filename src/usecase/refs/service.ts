import { formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { ownAddressesOf } from '../../kubernetes/model/node-interfaces.ts';
import type { Cluster, Service } from '../../kubernetes/model/cluster.ts';
import { choosePort } from './port.ts';
import { found, refused } from './ref.ts';
import { pickAddress } from './target.ts';
import type { Result } from './ref.ts';
import type { Destination, DestinationOptions } from './target.ts';

/** The service that has an address as ClusterIP, external IP or load balancer IP; null for other addresses. */
export function serviceOfAddress(cluster: Cluster, address: IpAddress): Service | null {
  const owns = (service: Service): boolean =>
    service.clusterIps.includes(address) ||
    service.externalIps.includes(address) ||
    service.loadBalancerIngress.some((ingress) => ingress.ip === address);
  return cluster.services.find(owns) ?? null;
}

/** The service that a connection is made to: by one of its addresses, or by a node port where the destination is a node. */
export function serviceOfDestination(
  cluster: Cluster,
  { destination, port, protocol }: { readonly destination: IpAddress; readonly port: number; readonly protocol: string },
): Service | null {
  const byAddress = serviceOfAddress(cluster, destination);
  if (byAddress) return byAddress;
  if (port === 0 || !cluster.nodes.some((node) => ownAddressesOf(node).includes(destination))) return null;
  return cluster.services.find(({ ports }) => ports.some((own) => own.nodePort === port && own.protocol === protocol)) ?? null;
}

/**
 * Where a connection to a Service goes: its ClusterIP (or the given one of its addresses) and one of its ports. Headless and
 * ExternalName services have no address of their own: only a resolved name leads to them.
 */
export function resolveService(
  service: Service,
  given: IpAddress | null,
  port: string | null,
  options: DestinationOptions,
): Result<Destination> {
  const label = `svc/${service.namespace}/${service.name}`;
  if (service.type === 'ExternalName') {
    return refused(`${label} is an ExternalName service for ${service.externalName ?? 'nothing'}: it has no address`);
  }
  const address = given ?? pickAddress(addressesFor(service, options), options.families);
  if (address === null) {
    const why = service.headless ? 'is headless: its name resolves to the addresses of its pods' : 'has no cluster IP';
    return refused(`${label} ${why}; name a pod instead (pod/NAME:PORT)`);
  }
  if (options.protocol === 'icmp') return found({ label, address, port: 0, protocol: 'icmp', pod: null, assumptions: [] });
  const chosen = choosePort(label, service.ports, port, options.protocol);
  if (!chosen.ok) return chosen;
  const { assumption, protocol } = chosen.value;
  const host = given === null ? label : formatIp(given);
  return found({
    label: `${host}:${chosen.value.port}`,
    address,
    port: chosen.value.port,
    protocol,
    pod: null,
    assumptions: assumption === null ? [] : [assumption],
  });
}

/** By which clients name a service: those outside its load balancer's addresses, if it has any, all others its cluster IPs. */
function addressesFor(service: Service, { fromOutside }: DestinationOptions): readonly IpAddress[] {
  const balanced = service.loadBalancerIngress.flatMap(({ ip }) => (ip === null ? [] : [ip]));
  return fromOutside && service.type === 'LoadBalancer' && balanced.length > 0 ? balanced : service.clusterIps;
}
