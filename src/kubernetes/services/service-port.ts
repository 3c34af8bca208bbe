import { familyOf } from '../../net/ip.ts';
import { isIpv4Cidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { Cluster, Service, ServicePort } from '../model/cluster.ts';

/**
 * One port of one Service in one IP family, as every mode of kube-proxy sees it (pkg/proxy ServicePort): addresses of that family
 * only, and the traffic policies read once.
 */
export interface ProxyServicePort {
  readonly service: Service;
  readonly family: IpFamily;
  /** "namespace/service", with ":portname" when the port has one: how kube-proxy names it in comments and hashes. */
  readonly name: string;
  readonly portName: string;
  readonly protocol: TransportProtocol;
  readonly port: number;
  readonly clusterIp: IpAddress;
  /** In the order given. */
  readonly externalIps: readonly IpAddress[];
  /** Addresses of the status that kube-proxy takes for itself (ipMode VIP), in the order given. */
  readonly loadBalancerIps: readonly IpAddress[];
  readonly sourceRanges: readonly Cidr[];
  /** 0: none. */
  readonly nodePort: number;
  /** 0: none; only of a load balancer with externalTrafficPolicy Local. */
  readonly healthCheckNodePort: number;
  /** Seconds of ClientIP affinity; null: no affinity. */
  readonly affinitySeconds: number | null;
  /** internalTrafficPolicy is Local. */
  readonly internalLocal: boolean;
  /** externalTrafficPolicy is Local, and the service can be reached from outside at all. */
  readonly externalLocal: boolean;
  /** It has a node port, an external IP or a load balancer IP of this family. */
  readonly hasExternal: boolean;
  /** Something of it follows the Cluster policy. */
  readonly usesCluster: boolean;
  /** Something of it follows the Local policy. */
  readonly usesLocal: boolean;
}

/** All service ports of a family, sorted by namespace, service name, port number, port name. Headless and ExternalName services have none. */
export function servicePortsOf(cluster: Cluster, family: IpFamily): readonly ProxyServicePort[] {
  const ports: ProxyServicePort[] = [];
  for (const service of cluster.services) {
    if (service.headless || service.type === 'ExternalName') continue;
    const clusterIp = service.clusterIps.find((ip) => familyOf(ip) === family);
    if (clusterIp === undefined) continue;
    for (const port of service.ports) ports.push(servicePortOf(service, port, clusterIp, family));
  }
  return ports.sort(compareServicePorts);
}

function servicePortOf(service: Service, port: ServicePort, clusterIp: IpAddress, family: IpFamily): ProxyServicePort {
  const externalIps = ofFamily(service.externalIps, familyOf, family);
  const loadBalancerIps = loadBalancerIpsOf(service, family);
  const hasExternal = port.nodePort !== 0 || loadBalancerIps.length > 0 || externalIps.length > 0;
  const internalLocal = service.internalTrafficPolicy === 'Local';
  const externalLocal = service.externalTrafficPolicy === 'Local' && isExternallyAccessible(service);
  const fullName = `${service.namespace}/${service.name}`;
  return {
    service,
    family,
    name: port.name === '' ? fullName : `${fullName}:${port.name}`,
    portName: port.name,
    protocol: port.protocol,
    port: port.port,
    clusterIp,
    externalIps,
    loadBalancerIps,
    sourceRanges: ofFamily(service.loadBalancerSourceRanges, (range) => (isIpv4Cidr(range) ? 4 : 6), family),
    nodePort: port.nodePort,
    healthCheckNodePort:
      service.type === 'LoadBalancer' && service.externalTrafficPolicy === 'Local' ? service.healthCheckNodePort : 0,
    affinitySeconds: service.sessionAffinity.kind === 'ClientIP' ? service.sessionAffinity.timeoutSeconds : null,
    internalLocal,
    externalLocal,
    hasExternal,
    usesCluster: !internalLocal || hasExternal,
    usesLocal: internalLocal || (externalLocal && hasExternal),
  };
}

/** Status addresses count whatever the type of the service; ipMode Proxy means the balancer delivers to nodes or pods itself (KEP-1860). */
function loadBalancerIpsOf(service: Service, family: IpFamily): readonly IpAddress[] {
  if (service.loadBalancerIngress.length === 0) return NONE;
  return service.loadBalancerIngress.flatMap(({ ip, ipMode }) =>
    ip !== null && ipMode === 'VIP' && familyOf(ip) === family ? [ip] : [],
  );
}

/** Shared by the many services that have none of something. */
const NONE: readonly never[] = [];

function ofFamily<T>(items: readonly T[], familyOfItem: (item: T) => IpFamily, family: IpFamily): readonly T[] {
  return items.length === 0 ? NONE : items.filter((item) => familyOfItem(item) === family);
}

/** pkg/api/v1/service ExternallyAccessible: where externalTrafficPolicy has a meaning. */
function isExternallyAccessible(service: Service): boolean {
  return (
    service.type === 'LoadBalancer' ||
    service.type === 'NodePort' ||
    (service.type === 'ClusterIP' && service.externalIps.length > 0)
  );
}

function compareServicePorts(a: ProxyServicePort, b: ProxyServicePort): number {
  return (
    compareText(a.service.namespace, b.service.namespace) ||
    compareText(a.service.name, b.service.name) ||
    a.port - b.port ||
    compareText(a.portName, b.portName) ||
    compareText(a.protocol, b.protocol)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
