import { cidrLast, cidrOf } from '../../net/cidr.ts';
import { ipv6, isIpv4, parseIpv4 } from '../../net/ip.ts';
import { invariant } from '../../support/invariant.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { DeviceAddress } from './device.ts';

/** Address scopes as numbers, narrower is larger (include/uapi/linux/rtnetlink.h). */
const SCOPE = { global: 0, link: 253, host: 254 } as const;

/** An address with its prefix length; `brd +` gives the subnet's last address as broadcast. */
export function deviceAddress(address: IpAddress, length: number, broadcast: 'brd +' | null = null): DeviceAddress {
  const prefix = cidrOf(address, length);
  const hasBroadcast = broadcast !== null && isIpv4(address) && length < 31;
  return { address, prefix, broadcast: hasBroadcast ? cidrLast(prefix) : null, scope: 'global', secondary: false };
}

/** 127.0.0.1/8 with scope host, what every namespace has on lo. */
export function loopbackAddress(): DeviceAddress {
  const address = parseIpv4('127.0.0.1');
  invariant(address !== null, '127.0.0.1 is an address');
  return { address, prefix: cidrOf(address, 8), broadcast: null, scope: 'host', secondary: false };
}

/** ::1/128, what lo has where IPv6 is on. */
export function loopbackAddress6(): DeviceAddress {
  const address = ipv6(1n);
  return { address, prefix: cidrOf(address, 128), broadcast: null, scope: 'host', secondary: false };
}

export type AddAddressResult =
  | { readonly ok: true; readonly addresses: readonly DeviceAddress[] }
  | { readonly ok: false; readonly error: 'exists' | 'scope' };

/**
 * A device's addresses with one more, where the kernel puts it (__inet_insert_ifa, net/ipv4/devinet.c): an address of a subnet that is
 * there already becomes secondary and stands last, a primary one stands behind the last primary of its own or a narrower scope. IPv6
 * addresses stand behind those of IPv4, wider scopes first, and the newest first among equals (ipv6_link_dev_addr).
 */
export function addAddress(addresses: readonly DeviceAddress[], added: DeviceAddress): AddAddressResult {
  const isOfSubnet = ({ prefix }: DeviceAddress): boolean =>
    prefix.length === added.prefix.length && prefix.address === added.prefix.address;
  if (addresses.some((other) => isOfSubnet(other) && other.address === added.address)) return { ok: false, error: 'exists' };
  if (!isIpv4(added.address)) return addAddress6(addresses, added);
  let position = 0;
  let secondary = false;
  for (const [index, other] of addresses.entries()) {
    if (isIpv4(other.address) && !other.secondary && SCOPE[added.scope] <= SCOPE[other.scope]) position = index + 1;
    if (!isOfSubnet(other)) continue;
    if (other.scope !== added.scope) return { ok: false, error: 'scope' };
    secondary = true;
  }
  if (secondary) {
    const own = addresses.filter(({ address }) => isIpv4(address));
    return { ok: true, addresses: [...own, { ...added, secondary }, ...addresses.slice(own.length)] };
  }
  return { ok: true, addresses: [...addresses.slice(0, position), added, ...addresses.slice(position)] };
}

function addAddress6(addresses: readonly DeviceAddress[], added: DeviceAddress): AddAddressResult {
  // The key is the address alone, whatever its prefix (ipv6_add_addr).
  if (addresses.some(({ address }) => address === added.address)) return { ok: false, error: 'exists' };
  const found = addresses.findIndex(({ address, scope }) => !isIpv4(address) && SCOPE[scope] >= SCOPE[added.scope]);
  const position = found < 0 ? addresses.length : found;
  return { ok: true, addresses: [...addresses.slice(0, position), added, ...addresses.slice(position)] };
}

/** Addresses given to a fresh device one after the other; one that the kernel would refuse is left out. */
export function assignAddresses(wanted: readonly DeviceAddress[]): readonly DeviceAddress[] {
  return wanted.reduce<readonly DeviceAddress[]>((addresses, address) => {
    const result = addAddress(addresses, address);
    return result.ok ? result.addresses : addresses;
  }, []);
}
