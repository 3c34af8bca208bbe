import { cidrContains } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { selectAddress6 } from './source-address6.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { DeviceAddress } from '../device/device.ts';
import type { Host } from '../host.ts';

/** Narrower scopes have larger numbers (RT_SCOPE_*). */
const SCOPE = { global: 0, link: 253, host: 254 } as const;

/**
 * inet_select_addr: the address of a device that suits a destination or next hop: of the same subnet if there is one, else the first
 * of sufficient scope; where the device has none, the first global one of any device. `towards` null: whatever comes first (IPv4).
 * Null when the host has no address at all. IPv6 has rules of its own.
 */
export function selectAddress(
  host: Host,
  device: string,
  towards: IpAddress | null,
  scope: keyof typeof SCOPE = 'global',
): IpAddress | null {
  if (towards !== null && !isIpv4(towards)) return selectAddress6(host, device, towards);
  const fits = (a: DeviceAddress) => !a.secondary && SCOPE[a.scope] <= SCOPE[scope] && isIpv4(a.address);
  const own = (host.devices.get(device)?.addresses ?? []).filter(fits);
  const match = (towards === null ? undefined : own.find(({ prefix }) => cidrContains(prefix, towards))) ?? own[0];
  if (match) return match.address;
  for (const other of host.devices.values()) {
    const address = other.addresses.find((a) => a.scope !== 'link' && fits(a));
    if (address) return address.address;
  }
  return null;
}
