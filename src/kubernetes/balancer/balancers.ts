import { addToIp, familyOf, ipv4, ipv6 } from '../../net/ip.ts';
import type { HostName } from '../../kernel/host.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Cluster, Node, Service } from '../model/cluster.ts';

/** What a cloud makes for one Service of type LoadBalancer: a host of the underlay with the service's public addresses. */
export interface Balancer {
  readonly service: Service;
  /** "shop/web" */
  readonly name: string;
  /** "balancer/shop/web" */
  readonly host: HostName;
  /** Those of status.loadBalancer. */
  readonly publicAddresses: readonly IpAddress[];
  /** By which it talks to nodes itself: one for each family of the public ones. */
  readonly ownAddresses: readonly IpAddress[];
  /** Its place among the cloud's balancers, from 0. */
  readonly index: number;
}

/** A node that a balancer may send to. */
export interface Backend {
  readonly node: Node;
  readonly address: IpAddress;
}

/** Before the first balancer's own address: shared address space (RFC 6598), as Alibaba Cloud's balancers have, and a unique local range. */
const OWN_ADDRESSES: Readonly<Record<IpFamily, IpAddress>> = { 4: ipv4(0x64400000), 6: ipv6(0xfd64n << 112n) };

/** Nodes that one balancer sends to at most: the usual quota of clouds. */
export const MOST_BACKENDS = 200;

/** Nodes with this label are left out by the service controller (cloud-provider, nodeIncludedPredicate). */
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** The balancers of a cluster's cloud, in the order of their services; none without a cloud. */
export function balancersOf({ loadBalancer, services }: Cluster): readonly Balancer[] {
  if (loadBalancer === null) return [];
  return services.filter(isBalanced).map((service, index): Balancer => {
    const name = `${service.namespace}/${service.name}`;
    const publicAddresses = service.loadBalancerIngress.flatMap(({ ip }) => (ip === null ? [] : [ip]));
    const families = [...new Set(publicAddresses.map(familyOf))];
    const ownAddresses = families.map((family) => addToIp(OWN_ADDRESSES[family], index + 1));
    return { service, name, host: `balancer/${name}`, publicAddresses, ownAddresses, index };
  });
}

/** A service that names a class is left to the controller of that class. */
function isBalanced({ type, loadBalancerClass, loadBalancerIngress }: Service): boolean {
  return type === 'LoadBalancer' && loadBalancerClass === null && loadBalancerIngress.some(({ ip }) => ip !== null);
}

/** Where a balancer may send packets of a family, healthy or not. */
export function backendsOf({ nodes }: Cluster, family: IpFamily): readonly Backend[] {
  const backends: Backend[] = [];
  for (const node of nodes) {
    if (backends.length === MOST_BACKENDS) break;
    const address = node.addresses.find((own) => familyOf(own) === family);
    if (address !== undefined && !(EXCLUDED in node.labels)) backends.push({ node, address });
  }
  return backends;
}
