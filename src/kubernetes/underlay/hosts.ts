import { cidrContains, cidrOf, hostPrefix } from '../../net/cidr.ts';
import { addToIp, familyOf } from '../../net/ip.ts';
import { assignAddresses, deviceAddress } from '../../kernel/device/address.ts';
import { PLAIN_DEVICE, loopbackDevice } from '../../kernel/device/build.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { interfacesOf } from '../model/node-interfaces.ts';
import { once } from '../../support/once.ts';
import { balancerMac, balancerPorts, balancerRoutes } from '../balancer/router.ts';
import { frameFilter } from './firewall.ts';
import { ROUTER_LINK_LOCAL, routerAddress } from './router-address.ts';
import { UNDERLAY_MTU, rangeHolding } from './links.ts';
import type { Mac } from '../../net/mac.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { BridgeDevice, Device, DeviceAddress } from '../../kernel/device/device.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { ExternalHost, FirewallRule, Node } from '../model/cluster.ts';
import type { LoadBalancerSettings } from '../model/load-balancer.ts';
import type { UnderlayRoute } from '../cni/mode.ts';
import type { NodeInterfaceSettings } from '../model/node-interfaces.ts';
import type { Attachment, Link, Links, RoutedExternal } from './links.ts';

/** What a host has before anything else is known of it. */
export interface HostNetwork {
  readonly devices: readonly Device[];
  readonly routes: readonly TableRoute[];
  /** MACs that everybody on the link knows. */
  readonly knownMac: (device: string, address: IpAddress) => Mac | undefined;
}

/** Switch and router in one namespace: a bridge a subnet, a port a host, a cable to each external host outside. */
export function underlayNetwork(
  links: Links,
  firewall: readonly FirewallRule[],
  cloud: readonly UnderlayRoute[],
  balanced: LoadBalancerSettings['mode'] | null,
  ipv6On: boolean,
): HostNetwork {
  const routed = new Map(links.routed.map((host) => [host.port, host]));
  const byBridge = new Map(links.links.map((link) => [link.bridge, link]));
  return {
    devices: [
      loopbackDevice(ipv6On),
      ...links.links.flatMap((link) => [switchBridge(link, firewall), ...link.members.map((member) => switchPort(member))]),
      ...links.routed.map(externalPort),
      ...balancerPorts(links.balancers),
    ],
    routes: [
      ...links.routed.flatMap(({ port, external }) =>
        external.addresses.map((address) =>
          main(unicastRoute(hostPrefix(address), { dev: port }), `External ${external.name}`, 'external-route'),
        ),
      ),
      ...balancerRoutes(links.balancers, balanced === 'nodePort'),
      ...links.links.flatMap(strayRoutes),
      ...cloud.flatMap(({ dst, via, node }) => {
        const link = links.holding(node, via)?.link;
        return link ? [main(unicastRoute(dst, { via, dev: link.bridge }), `Node ${node}`, 'cloud-route')] : [];
      }),
    ],
    knownMac: (device, address) => {
      const external = routed.get(device);
      return external
        ? external.external.addresses.includes(address)
          ? external.mac
          : undefined
        : (byBridge.get(device)?.macOf(address) ?? balancerMac(links.balancers, device, address));
    },
  };
}

/** The interfaces of a node, with the default route by the first one's router. */
export function nodeUplinks(node: Node, links: Links, ipv6On: boolean): HostNetwork {
  const interfaces = interfacesOf(node);
  return {
    devices: [
      loopbackDevice(ipv6On),
      ...interfaces.map((settings, index) =>
        nodeDevice(node, settings, links.ofNode(node.name, settings.device), index === 0 ? 'uplink' : 'interface'),
      ),
    ],
    routes: ([4, 6] as const).flatMap((family) => nodeDefaultRoute(node, interfaces, links, family)),
    knownMac: (device, address) => links.ofNode(node.name, device)?.link.macOf(address),
  };
}

/** An external host: on a switch of the underlay, or behind the router on a cable of its own. */
export function externalNetwork(external: ExternalHost, links: Links, ipv6On: boolean): HostNetwork {
  const place = links.ofExternal(external.name);
  const object = `External ${external.name}`;
  if (place === undefined) return { devices: [loopbackDevice(ipv6On)], routes: [], knownMac: () => undefined };
  const own = external.addresses.map((address) =>
    'link' in place ? onLink(place.link, address) : deviceAddress(address, hostPrefix(address).length, 'brd +'),
  );
  const eth0: Device = {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: 'eth0',
    mac: place.mac,
    mtu: UNDERLAY_MTU,
    addresses: assignAddresses(own),
    peer: { host: 'underlay', device: place.port },
    origin: { object, by: 'underlay', role: 'uplink' },
  };
  const devices = [loopbackDevice(ipv6On), eth0];
  if ('link' in place) {
    return {
      devices,
      routes: defaultRoutes(place, object),
      knownMac: (device, address) => (device === 'eth0' ? place.link.macOf(address) : undefined),
    };
  }
  return {
    devices,
    routes: external.addresses.flatMap((source) => {
      const family = familyOf(source);
      const router = ROUTER_LINK_LOCAL[family];
      return [
        // A link-local address of IPv6 is on the link of any device.
        ...(family === 4 ? [main(unicastRoute(hostPrefix(router), { dev: 'eth0' }), object, 'router-route')] : []),
        main(unicastRoute(EVERYWHERE[family], { via: router, dev: 'eth0', source }), object, 'default-route'),
      ];
    }),
    knownMac: (device, address) =>
      device === 'eth0' && (address === ROUTER_LINK_LOCAL[4] || address === ROUTER_LINK_LOCAL[6]) ? place.routerMac : undefined,
  };
}

/** An interface without a link is on a network of its own, which nobody else is on. */
function nodeDevice(
  node: Node,
  { device, addresses, mtu }: NodeInterfaceSettings,
  attachment: Attachment | undefined,
  role: string,
): Device {
  const held = addresses.map(({ address, length }) =>
    length === null && attachment
      ? onLink(attachment.link, address)
      : deviceAddress(address, length ?? hostPrefix(address).length, 'brd +'),
  );
  const common = {
    ...PLAIN_DEVICE,
    name: device,
    mtu,
    addresses: assignAddresses(held),
    origin: { object: `Node ${node.name}`, by: 'underlay', role },
  };
  if (!attachment) return { ...common, kind: 'dummy', mac: null };
  return { ...common, kind: 'veth', mac: attachment.mac, peer: { host: 'underlay', device: attachment.port } };
}

/** By the first interface of the family: the link's router, or the first host address of a network of its own. */
function nodeDefaultRoute(
  node: Node,
  interfaces: readonly NodeInterfaceSettings[],
  links: Links,
  family: IpFamily,
): TableRoute[] {
  const isOwn = ({ addresses }: NodeInterfaceSettings): boolean =>
    addresses.some(({ address }) => node.addresses.includes(address));
  const ofFamily = ({ addresses }: NodeInterfaceSettings): boolean =>
    addresses.some(({ address }) => familyOf(address) === family);
  const first = interfaces.find((settings, index) => (index === 0 || isOwn(settings)) && ofFamily(settings));
  if (first === undefined) return [];
  const link = links.ofNode(node.name, first.device)?.link;
  const router = link ? link.ranges.find((range) => familyOf(range.router) === family)?.router : ownRouter(first, family);
  if (router === undefined) return [];
  const route = unicastRoute(EVERYWHERE[family], { via: router, dev: first.device });
  return [main(route, `Node ${node.name}`, 'default-route')];
}

/** The first host address of an interface's range that the interface does not have itself; undefined: the range has no room for one. */
function ownRouter({ addresses }: NodeInterfaceSettings, family: IpFamily): IpAddress | undefined {
  const primary = addresses.find(({ address }) => familyOf(address) === family);
  if (primary === undefined || primary.length === null) return undefined;
  const cidr = cidrOf(primary.address, primary.length);
  const hosts = [addToIp(cidr.address, 1), addToIp(cidr.address, 2)];
  return hosts.find((host) => cidrContains(cidr, host) && !addresses.some(({ address }) => address === host));
}

function switchBridge(link: Link, firewall: readonly FirewallRule[]): BridgeDevice {
  const ports = once(() => new Map(link.members.map(({ mac, port }) => [mac, port])));
  return {
    ...PLAIN_DEVICE,
    kind: 'bridge',
    name: link.bridge,
    mac: link.routerMac,
    mtu: UNDERLAY_MTU,
    addresses: assignAddresses(link.ranges.map(({ router, cidr }) => deviceAddress(router, cidr.length, 'brd +'))),
    learnt: (mac) => ports().get(mac),
    ...(firewall.length > 0 && { filter: frameFilter(firewall, link) }),
    origin: { object: null, by: 'underlay', role: 'switch' },
  };
}

function switchPort({ port, host, device, link }: Attachment): Device {
  return {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: port,
    mac: null,
    mtu: UNDERLAY_MTU,
    master: link.bridge,
    peer: { host, device },
    origin: { object: null, by: 'underlay', role: 'switch-port' },
  };
}

function externalPort({ port, external, routerMac }: RoutedExternal): Device {
  return {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: port,
    mac: routerMac,
    mtu: UNDERLAY_MTU,
    addresses: assignAddresses(external.addresses.map((address) => routerAddress(familyOf(address)))),
    peer: { host: `external/${external.name}`, device: 'eth0' },
    origin: { object: `External ${external.name}`, by: 'underlay', role: 'external-port' },
  };
}

/** By the link's router in each family in which the host is on the link. */
function defaultRoutes({ link, addresses }: Attachment, object: string): TableRoute[] {
  return link.ranges
    .filter(({ router }) => addresses.some((address) => familyOf(address) === familyOf(router)))
    .map(({ router }) => main(unicastRoute(EVERYWHERE[familyOf(router)], { via: router, dev: 'eth0' }), object, 'default-route'));
}

/** An address with the length of the link's range that holds it; one outside all ranges connects nothing. */
function onLink(link: Link, address: IpAddress): DeviceAddress {
  return deviceAddress(address, rangeHolding(link, address)?.cidr.length ?? hostPrefix(address).length, 'brd +');
}

/** The router's way to addresses that a host of the link has outside the link's ranges. */
function strayRoutes(link: Link): TableRoute[] {
  return link.members.flatMap(({ host, device, addresses }) =>
    host.startsWith('external/') && device === 'eth0'
      ? addresses
          .filter((address) => rangeHolding(link, address) === undefined)
          .map((address) =>
            main(unicastRoute(hostPrefix(address), { dev: link.bridge }), `External ${host.slice(9)}`, 'external-route'),
          )
      : [],
  );
}

function main(route: TableRoute['route'], object: string, role: string): TableRoute {
  return { table: TABLE_MAIN, route: { ...route, origin: { object, by: 'underlay', role } } };
}
