import { cidrOf } from '../../net/cidr.ts';
import { ipv4, isIpv4 } from '../../net/ip.ts';
import { assignAddresses, deviceAddress } from '../../kernel/device/address.ts';
import { PLAIN_DEVICE, loopbackDevice } from '../../kernel/device/build.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { once } from '../../support/once.ts';
import { frameFilter } from './firewall.ts';
import { UNDERLAY_MTU } from './links.ts';
import type { Mac } from '../../net/mac.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { BridgeDevice, Device } from '../../kernel/device/device.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { ExternalHost, FirewallRule, Node } from '../model/cluster.ts';
import type { UnderlayRoute } from '../cni/mode.ts';
import type { Attachment, Link, Links, RoutedExternal } from './links.ts';

/** Address of the router on the cable to an external host. */
const ROUTER_LINK_LOCAL = ipv4(0xa9fe0101);

/** What a host has before anything else is known of it. */
export interface HostNetwork {
  readonly devices: readonly Device[];
  readonly routes: readonly TableRoute[];
  /** MACs that everybody on the link knows. */
  readonly knownMac: (device: string, address: IpAddress) => Mac | undefined;
}

/** Switch and router in one namespace: a bridge a subnet, a port a host, a cable to each external host outside. */
export function underlayNetwork(links: Links, firewall: readonly FirewallRule[], cloud: readonly UnderlayRoute[]): HostNetwork {
  const routed = new Map(links.routed.map((host) => [host.port, host]));
  const byBridge = new Map(links.links.map((link) => [link.bridge, link]));
  return {
    devices: [
      loopbackDevice(),
      ...links.links.flatMap((link) => [switchBridge(link, firewall), ...link.members.map((member) => switchPort(member))]),
      ...links.routed.map(externalPort),
    ],
    routes: [
      ...links.routed.map(({ port, address, external }) =>
        main(unicastRoute(cidrOf(address, 32), { dev: port }), `External ${external.name}`, 'external-route'),
      ),
      ...cloud.flatMap(({ dst, via, node }) => {
        const link = links.ofNode(node, 'eth0')?.link;
        return link ? [main(unicastRoute(dst, { via, dev: link.bridge }), `Node ${node}`, 'cloud-route')] : [];
      }),
    ],
    knownMac: (device, address) => {
      const external = routed.get(device);
      return external ? (address === external.address ? external.mac : undefined) : byBridge.get(device)?.macOf(address);
    },
  };
}

/** eth0 and the further interfaces of a node, with the default route by eth0's router. */
export function nodeUplinks(node: Node, links: Links): HostNetwork {
  const eth0 = links.ofNode(node.name, 'eth0');
  const uplink = eth0 ? [uplinkDevice(eth0, node)] : [];
  const further = node.interfaces.flatMap((settings): Device[] => {
    const { name, address, length, mtu } = settings;
    if (!isIpv4(address)) return [];
    const attachment = links.ofNode(node.name, name);
    const addresses = [deviceAddress(address, length, 'brd +')];
    const origin = { object: `Node ${node.name}`, by: 'underlay', role: 'interface' };
    const common = { ...PLAIN_DEVICE, name, mtu, addresses, origin };
    if (!attachment) return [{ ...common, kind: 'dummy', mac: null }];
    return [{ ...common, kind: 'veth', mac: attachment.mac, peer: { host: 'underlay', device: attachment.port } }];
  });
  return {
    devices: [loopbackDevice(), ...uplink, ...further],
    routes: eth0 ? [defaultRoute(eth0.link.router, `Node ${node.name}`)] : [],
    knownMac: (device, address) => {
      const attachment = links.ofNode(node.name, device);
      return attachment?.link.macOf(address);
    },
  };
}

/** An external host: on a switch of the underlay, or behind the router on a cable of its own. */
export function externalNetwork(external: ExternalHost, links: Links): HostNetwork {
  const place = links.ofExternal(external.name);
  const object = `External ${external.name}`;
  if (place === undefined) return { devices: [loopbackDevice()], routes: [], knownMac: () => undefined };
  const own = external.addresses.filter(isIpv4);
  const length = 'link' in place ? place.link.cidr.length : 32;
  const eth0: Device = {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: 'eth0',
    mac: place.mac,
    mtu: UNDERLAY_MTU,
    addresses: assignAddresses(own.map((address) => deviceAddress(address, length, 'brd +'))),
    peer: { host: 'underlay', device: place.port },
    origin: { object, by: 'underlay', role: 'uplink' },
  };
  const devices = [loopbackDevice(), eth0];
  if ('link' in place) {
    return {
      devices,
      routes: [defaultRoute(place.link.router, object)],
      knownMac: (device, address) => (device === 'eth0' ? place.link.macOf(address) : undefined),
    };
  }
  return {
    devices,
    routes: [
      main(unicastRoute(cidrOf(ROUTER_LINK_LOCAL, 32), { dev: 'eth0' }), object, 'router-route'),
      main(unicastRoute(EVERYWHERE, { via: ROUTER_LINK_LOCAL, dev: 'eth0', source: place.address }), object, 'default-route'),
    ],
    knownMac: (device, address) => (device === 'eth0' && address === ROUTER_LINK_LOCAL ? place.routerMac : undefined),
  };
}

function uplinkDevice(eth0: Attachment, node: Node): Device {
  const length = eth0.link.cidr.length;
  const [primary] = eth0.addresses;
  const extra = node.extraAddresses.map(({ address, length: own }) => deviceAddress(address, own, 'brd +'));
  return {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: 'eth0',
    mac: eth0.mac,
    mtu: node.mtu,
    addresses: assignAddresses(primary === undefined ? extra : [deviceAddress(primary, length, 'brd +'), ...extra]),
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
    addresses: [deviceAddress(link.router, link.cidr.length, 'brd +')],
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
    addresses: [deviceAddress(ROUTER_LINK_LOCAL, 32)],
    peer: { host: `external/${external.name}`, device: 'eth0' },
    origin: { object: `External ${external.name}`, by: 'underlay', role: 'external-port' },
  };
}

function defaultRoute(router: IpAddress, object: string): TableRoute {
  return main(unicastRoute(EVERYWHERE, { via: router, dev: 'eth0' }), object, 'default-route');
}

function main(route: TableRoute['route'], object: string, role: string): TableRoute {
  return { table: TABLE_MAIN, route: { ...route, origin: { object, by: 'underlay', role } } };
}
