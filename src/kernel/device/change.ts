import { isIpv4Cidr } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { deviceRoutes } from '../routing/connected.ts';
import { insertRoute, mapRoutes, removeFirstRoute, sameRoute } from '../routing/edit.ts';
import { withoutNeighbours } from '../neighbour/table.ts';
import type { Host } from '../host.ts';
import type { Route, RoutingPolicy } from '../routing/route.ts';
import type { TableRoute } from '../routing/connected.ts';
import type { Device, DeviceAddress } from './device.ts';

/** The host with other addresses on a device; the kernel's routes follow (fib_add_ifaddr, fib_del_ifaddr, fib_inetaddr_event). */
export function setAddresses(host: Host, device: Device, addresses: readonly DeviceAddress[]): Host {
  const after: Device = { ...device, addresses };
  const devices = new Map(host.devices).set(device.name, after);
  const before = deviceRoutes(device);
  const wanted = deviceRoutes(after);
  let routing = host.routing;
  for (const { table, route } of before.filter((made) => !includes(wanted, made))) {
    routing = removeFirstRoute(routing, table, (other) => sameRoute(other, route)) ?? routing;
  }
  routing = addKernelRoutes(
    routing,
    wanted.filter((made) => !includes(before, made)),
  );
  const gone = device.addresses.filter(({ address }) => !hasAddress(devices, address)).map(({ address }) => address);
  // A route that prefers an address that is gone goes too; of IPv6 it stays without (rt6_remove_prefsrc).
  if (gone.length > 0)
    routing = mapRoutes(routing, (route) => {
      if (route.source === null || !gone.includes(route.source)) return route;
      return isIpv4(route.source) ? null : { ...route, source: null };
    });
  // The last address takes IPv4 off the device (fib_disable_ip with force).
  if (hasIpv4(device.addresses) && !hasIpv4(addresses)) {
    routing = withoutDevice(routing, device.name, ({ dst }) => isIpv4Cidr(dst));
  }
  return { ...host, devices, routing };
}

/**
 * The host with a device put down: its routes and neighbours go, its own addresses stay local (fib_disable_ip without force); those of
 * IPv6 go as well (addrconf_ifdown, keep_addr_on_down=0).
 */
export function setDown(host: Host, device: Device): Host {
  if (!device.up) return host;
  const addresses = device.addresses.filter(({ address }) => isIpv4(address));
  return {
    ...host,
    devices: new Map(host.devices).set(device.name, { ...device, addresses, up: false }),
    routing: withoutDevice(host.routing, device.name, ({ scope, dst }) => scope !== 'host' || !isIpv4Cidr(dst)),
    neighbours: withoutNeighbours(host.neighbours, (name) => name === device.name),
  };
}

/** The host with a device put up: only the routes that the kernel makes for addresses come back. */
export function setUp(host: Host, device: Device): Host {
  if (device.up) return host;
  const after: Device = { ...device, up: true };
  return {
    ...host,
    devices: new Map(host.devices).set(device.name, after),
    routing: addKernelRoutes(host.routing, deviceRoutes(after)),
  };
}

/** The host without a device and without all that hangs on it. */
export function removeDevice(host: Host, device: Device): Host {
  const bare = setAddresses(host, device, []);
  const devices = new Map(bare.devices);
  devices.delete(device.name);
  for (const [name, other] of devices) if (other.master === device.name) devices.set(name, { ...other, master: null });
  return {
    ...bare,
    devices,
    routing: withoutDevice(bare.routing, device.name, () => true),
    neighbours: withoutNeighbours(bare.neighbours, (name) => name === device.name),
    fdb: bare.fdb.filter((entry) => entry.device !== device.name),
  };
}

/** Takes the next hops over a device out of routes; a route without any left goes. */
function withoutDevice(routing: RoutingPolicy, device: string, concerns: (route: Route) => boolean): RoutingPolicy {
  return mapRoutes(routing, (route) => {
    if (!concerns(route) || !route.nexthops.some(({ dev }) => dev === device)) return route;
    const nexthops = route.nexthops.filter(({ dev }) => dev !== device);
    return nexthops.length === 0 ? null : { ...route, nexthops };
  });
}

/** fib_magic appends and does not mind what is there already. */
function addKernelRoutes(routing: RoutingPolicy, routes: readonly TableRoute[]): RoutingPolicy {
  return routes.reduce((policy, { table, route }) => {
    const result = insertRoute(policy, table, route, 'append');
    return result.ok ? result.policy : policy;
  }, routing);
}

function includes(routes: readonly TableRoute[], wanted: TableRoute): boolean {
  return routes.some(({ table, route }) => table === wanted.table && sameRoute(route, wanted.route));
}

function hasAddress(devices: ReadonlyMap<string, Device>, address: DeviceAddress['address']): boolean {
  return [...devices.values()].some((device) => device.addresses.some((other) => other.address === address));
}

function hasIpv4(addresses: readonly DeviceAddress[]): boolean {
  return addresses.some(({ address }) => isIpv4(address));
}
