import { cidrLast, cidrOf, sameCidr } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { TABLE_LOCAL, TABLE_MAIN } from './route.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Device, DeviceAddress } from '../device/device.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { Route, RouteScope, RouteType } from './route.ts';

/** A route and the number of its table. */
export interface TableRoute {
  readonly table: number;
  readonly route: Route;
}

/** What the routes of an address depend on. */
export type AddressedDevice = Pick<Device, 'name' | 'kind' | 'up' | 'addresses'>;

/**
 * The routes that the kernel makes for an address (fib_add_ifaddr, net/ipv4/fib_frontend.c). While the device is up: the address itself
 * and its broadcast addresses in table local, and the connected prefix in table main; on the loopback device the prefix is local too.
 * A /32 connects nothing, a secondary address repeats nothing and takes the primary's address as preferred source. On a device that is
 * down the address alone is local. IPv6 has neither broadcasts nor preferred sources, its connected prefix has metric 256, and two
 * addresses share one (addrconf_prefix_route).
 */
export function addressRoutes(device: AddressedDevice, address: DeviceAddress): TableRoute[] {
  if (!isIpv4(address.address)) return address6Routes(device, address);
  const bits = 32;
  const source = address.secondary ? primaryOf(device, address) : address.address;
  const make = (table: number, type: RouteType, dst: Cidr, scope: RouteScope): TableRoute => ({
    table,
    route: kernelRoute(device, type, dst, scope, source),
  });
  const host = (ip: IpAddress): Cidr => cidrOf(ip, bits);
  const routes = [make(TABLE_LOCAL, 'local', host(address.address), 'host')];
  if (!device.up) return routes;
  const broadcasts = new Set<IpAddress>();
  if (address.broadcast !== null) broadcasts.add(address.broadcast);
  if (!address.secondary && address.prefix.length < bits) {
    const loopback = device.kind === 'loopback';
    routes.push(
      loopback ? make(TABLE_LOCAL, 'local', address.prefix, 'host') : make(TABLE_MAIN, 'unicast', address.prefix, 'link'),
    );
    if (address.prefix.length < 31) broadcasts.add(cidrLast(address.prefix));
  }
  for (const broadcast of broadcasts) routes.push(make(TABLE_LOCAL, 'broadcast', host(broadcast), 'link'));
  return routes;
}

function address6Routes(device: AddressedDevice, address: DeviceAddress): TableRoute[] {
  const make = (table: number, type: RouteType, dst: Cidr, metric: number): TableRoute => ({
    table,
    route: { ...kernelRoute(device, type, dst, 'global', address.address), source: null, metric },
  });
  const routes = [make(TABLE_LOCAL, 'local', cidrOf(address.address, 128), 0)];
  // An address waits for the link to come up, unless nothing is to be asked there (IFF_NOARP, addrconf_dad_begin).
  if (!device.up) return device.kind === 'dummy' ? routes : [];
  const first = device.addresses.find(({ prefix }) => sameCidr(prefix, address.prefix));
  if (address.prefix.length < 128 && (first === undefined || first.address === address.address)) {
    routes.push(make(TABLE_MAIN, 'unicast', address.prefix, 256));
  }
  return routes;
}

/** All routes that the kernel keeps for the addresses of a device. */
export function deviceRoutes(device: AddressedDevice): TableRoute[] {
  return device.addresses.flatMap((address) => addressRoutes(device, address));
}

/** The primary address of a secondary one's subnet (inet_ifa_byprefix). */
function primaryOf(device: AddressedDevice, secondary: DeviceAddress): IpAddress {
  const primary = device.addresses.find(
    ({ prefix, secondary: other }) =>
      !other && prefix.length === secondary.prefix.length && prefix.address === secondary.prefix.address,
  );
  return primary?.address ?? secondary.address;
}

function kernelRoute(device: AddressedDevice, type: RouteType, dst: Cidr, scope: RouteScope, source: IpAddress): Route {
  return {
    type,
    dst,
    scope,
    nexthops: [{ via: null, dev: device.name, onlink: false, weight: 1 }],
    source,
    metric: 0,
    tos: 0,
    protocol: 'kernel',
    mtu: null,
  };
}
