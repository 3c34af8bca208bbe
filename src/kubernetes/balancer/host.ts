import { familyOf } from '../../net/ip.ts';
import { hostPrefix } from '../../net/cidr.ts';
import { assignAddresses, deviceAddress } from '../../kernel/device/address.ts';
import { PLAIN_DEVICE, loopbackDevice } from '../../kernel/device/build.ts';
import { lazyNetfilter } from '../../kernel/netfilter/build.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { once } from '../../support/once.ts';
import { buildHost } from '../build-host.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { BALANCER_SYSCTLS, BALANCER_SYSCTLS_6, hostSysctls } from '../host-sysctls.ts';
import { ROUTER_LINK_LOCAL } from '../underlay/router-address.ts';
import { UNDERLAY_MTU } from '../underlay/links.ts';
import { backendsOf } from './balancers.ts';
import { cloudOrigin } from './roles.ts';
import { balancerRules } from './rules.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpFamily } from '../../net/ip.ts';
import type { Device } from '../../kernel/device/device.ts';
import type { Host } from '../../kernel/host.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { Links } from '../underlay/links.ts';
import type { Cluster } from '../model/cluster.ts';
import type { Backend, Balancer } from './balancers.ts';
import type { CabledBalancer } from './cables.ts';
import type { CloudRole } from './roles.ts';

/** What a balancer's namespace is compiled from. */
export interface BalancerBlueprint {
  readonly cluster: Cluster;
  readonly links: Links;
  readonly ipv6: boolean;
  readonly cold: boolean;
  /** Names of the nodes that fail the balancer's health checks. Asked when a packet needs to know. */
  readonly unhealthy: (balancer: Balancer) => ReadonlySet<string>;
}

/**
 * Namespace of a balancer. Mode nodePort: it has the public addresses on its one interface, and rules send what comes to them to the node
 * port of a healthy node. Mode direct: it has none of them, and a route for each leads to the healthy nodes, by a leg on their switch, as
 * with LVS's direct routing.
 */
export function balancerHost(cabled: CabledBalancer, blueprint: BalancerBlueprint): Host {
  const { cluster, ipv6, cold, unhealthy } = blueprint;
  const { balancer, mac, port, routerMac, legs } = cabled;
  const healthy = once(() => {
    const out = unhealthy(balancer);
    return (family: IpFamily) => backendsOf(cluster, family).filter(({ node }) => !out.has(node.name));
  });
  const isDirect = cluster.loadBalancer?.mode === 'direct';
  const held = isDirect ? balancer.ownAddresses : [...balancer.ownAddresses, ...balancer.publicAddresses];
  const devices: Device[] = [
    loopbackDevice(ipv6),
    {
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: 'eth0',
      mac,
      mtu: UNDERLAY_MTU,
      addresses: assignAddresses(held.map((address) => deviceAddress(address, hostPrefix(address).length))),
      peer: { host: 'underlay', device: port },
      origin: cloudOrigin(balancer, 'uplink'),
    },
    ...legs.map(
      (leg): Device => ({
        ...PLAIN_DEVICE,
        kind: 'veth',
        name: leg.device,
        mac: leg.mac,
        mtu: UNDERLAY_MTU,
        addresses: [],
        peer: { host: 'underlay', device: leg.port },
        origin: cloudOrigin(balancer, 'leg'),
      }),
    ),
  ];
  const inside = insideRanges(cluster, blueprint.links);
  const rules = (family: IpFamily) =>
    balancerRules(
      cluster,
      balancer,
      healthy()(family),
      inside.filter(({ address }) => familyOf(address) === family),
      family,
    );
  return buildHost(
    {
      name: balancer.host,
      devices,
      routes: [...uplinkRoutes(balancer), ...(isDirect ? deliveryRoutes(cabled, blueprint.links, healthy()) : [])],
      knownMac: (device, address) =>
        device === 'eth0'
          ? address === ROUTER_LINK_LOCAL[familyOf(address)]
            ? routerMac
            : undefined
          : legs.find((leg) => leg.device === device)?.link.macOf(address),
      sysctls: hostSysctls(ipv6 ? new Map([...BALANCER_SYSCTLS, ...BALANCER_SYSCTLS_6]) : BALANCER_SYSCTLS, {}, devices),
      netfilter: lazyNetfilter({ iptables: () => rules(4), ...(ipv6 && { ip6tables: () => rules(6) }) }),
      listeners: [],
      origin: { object: `Service ${balancer.name}`, by: 'cloud-controller', role: 'balancer' },
    },
    cold,
  );
}

function uplinkRoutes(balancer: Balancer): TableRoute[] {
  return balancer.ownAddresses.flatMap((source) => {
    const family = familyOf(source);
    const via = ROUTER_LINK_LOCAL[family];
    const main = (route: TableRoute['route'], role: CloudRole): TableRoute => tableRoute(balancer, route, role);
    return [
      // A link-local address of IPv6 is on the link of any device.
      ...(family === 4 ? [main(unicastRoute(hostPrefix(via), { dev: 'eth0' }), 'router-route')] : []),
      main(unicastRoute(EVERYWHERE[family], { via, dev: 'eth0', source }), 'default-route'),
    ];
  });
}

/** Several next hops of one route: each connection takes one of them. */
function deliveryRoutes(
  { balancer, legs }: CabledBalancer,
  links: Links,
  healthy: (family: IpFamily) => readonly Backend[],
): TableRoute[] {
  return balancer.publicAddresses.flatMap((address) => {
    const nexthops = healthy(familyOf(address)).flatMap((backend) => {
      const leg = legs.find(({ link }) => link === links.holding(backend.node.name, backend.address)?.link);
      return leg ? [{ via: backend.address, dev: leg.device, onlink: true, weight: 1 }] : [];
    });
    const [first] = nexthops;
    if (first === undefined) return [];
    return [tableRoute(balancer, { ...unicastRoute(hostPrefix(address), first), nexthops }, 'backend')];
  });
}

/** Hosts that nodes answer without going by the router, or by a way of the router's that knows nothing of the balancer: nodes and pods. */
function insideRanges({ podCidrs }: Cluster, { links }: Links): readonly Cidr[] {
  return [...links.flatMap(({ ranges }) => ranges.map(({ cidr }) => cidr)), ...podCidrs];
}

function tableRoute(balancer: Balancer, route: TableRoute['route'], role: CloudRole): TableRoute {
  return { table: TABLE_MAIN, route: { ...route, origin: cloudOrigin(balancer, role) } };
}
