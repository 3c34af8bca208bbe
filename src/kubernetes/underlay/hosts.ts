import { cidrOf } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { familyOf, ipv4, ipv6, isIpv4 } from '../../net/ip.ts';
import { assignAddresses, deviceAddress } from '../../kernel/device/address.ts';
import { PLAIN_DEVICE, loopbackDevice } from '../../kernel/device/build.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { once } from '../../support/once.ts';
import { frameFilter } from './firewall.ts';
import { UNDERLAY_MTU, rangeHolding } from './links.ts';
import type { Mac } from '../../net/mac.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { BridgeDevice, Device, DeviceAddress } from '../../kernel/device/device.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { ExternalHost, FirewallRule, Node } from '../model/cluster.ts';
import type { UnderlayRoute } from '../cni/mode.ts';
import type { Attachment, Link, Links, RoutedExternal } from './links.ts';

/** Addresses of the router on the cable to an external host: 169.254.1.1 and fe80::1. */
const ROUTER_LINK_LOCAL: Readonly<Record<IpFamily, IpAddress>> = { 4: ipv4(0xa9fe0101), 6: ipv6((0xfe80n << 112n) + 1n) };

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
  ipv6On: boolean,
): HostNetwork {
  const routed = new Map(links.routed.map((host) => [host.port, host]));
  const byBridge = new Map(links.links.map((link) => [link.bridge, link]));
  return {
    devices: [
      loopbackDevice(ipv6On),
      ...links.links.flatMap((link) => [switchBridge(link, firewall), ...link.members.map((member) => switchPort(member))]),
      ...links.routed.map(externalPort),
    ],
    routes: [
      ...links.routed.flatMap(({ port, external }) =>
        external.addresses.map((address) =>
          main(unicastRoute(hostPrefix(address), { dev: port }), `External ${external.name}`, 'external-route'),
        ),
      ),
      ...links.links.flatMap(strayRoutes),
      ...cloud.flatMap(({ dst, via, node }) => {
        const link = links.ofNode(node, 'eth0')?.link;
        return link ? [main(unicastRoute(dst, { via, dev: link.bridge }), `Node ${node}`, 'cloud-route')] : [];
      }),
    ],
    knownMac: (device, address) => {
      const external = routed.get(device);
      return external
        ? external.external.addresses.includes(address)
          ? external.mac
          : undefined
        : byBridge.get(device)?.macOf(address);
    },
  };
}

/** eth0 and the further interfaces of a node, with the default route by eth0's router. */
export function nodeUplinks(node: Node, links: Links, ipv6On: boolean): HostNetwork {
  const eth0 = links.ofNode(node.name, 'eth0');
  const uplink = eth0 ? [uplinkDevice(eth0, node)] : [];
  const further = node.interfaces.flatMap((settings): Device[] => {
    const { name, address, length, mtu } = settings;
    const attachment = links.ofNode(node.name, name);
    const addresses = [deviceAddress(address, length, 'brd +')];
    const origin = { object: `Node ${node.name}`, by: 'underlay', role: 'interface' };
    const common = { ...PLAIN_DEVICE, name, mtu, addresses, origin };
    if (!attachment) return [{ ...common, kind: 'dummy', mac: null }];
    return [{ ...common, kind: 'veth', mac: attachment.mac, peer: { host: 'underlay', device: attachment.port } }];
  });
  return {
    devices: [loopbackDevice(ipv6On), ...uplink, ...further],
    routes: eth0 ? defaultRoutes(eth0, `Node ${node.name}`) : [],
    knownMac: (device, address) => {
      const attachment = links.ofNode(node.name, device);
      return attachment?.link.macOf(address);
    },
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

function uplinkDevice(eth0: Attachment, node: Node): Device {
  const own = node.addresses.map((address) => onLink(eth0.link, address));
  const extra = node.extraAddresses.map(({ address, length: own }) => deviceAddress(address, own, 'brd +'));
  return {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: 'eth0',
    mac: eth0.mac,
    mtu: node.mtu,
    addresses: assignAddresses([...own, ...extra]),
    peer: { host: 'underlay', device: eth0.port },
    origin: { object: `Node ${node.name}`, by: 'underlay', role: 'uplink' },
  };
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

function hostPrefix(address: IpAddress): Cidr {
  return cidrOf(address, isIpv4(address) ? 32 : 128);
}

function routerAddress(family: IpFamily): DeviceAddress {
  const address = ROUTER_LINK_LOCAL[family];
  const plain = deviceAddress(address, hostPrefix(address).length);
  return family === 4 ? plain : { ...plain, scope: 'link' };
}

function main(route: TableRoute['route'], object: string, role: string): TableRoute {
  return { table: TABLE_MAIN, route: { ...route, origin: { object, by: 'underlay', role } } };
}
