import { ipv4, ipv6 } from '../../net/ip.ts';
import { deviceAddress } from '../../kernel/device/address.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { DeviceAddress } from '../../kernel/device/device.ts';

/** Addresses of the router on the cable to a host that is on no switch: 169.254.1.1 and fe80::1. */
export const ROUTER_LINK_LOCAL: Readonly<Record<IpFamily, IpAddress>> = { 4: ipv4(0xa9fe0101), 6: ipv6((0xfe80n << 112n) + 1n) };

/** The router's address on such a cable, as a device has it. */
export function routerAddress(family: IpFamily): DeviceAddress {
  const plain = deviceAddress(ROUTER_LINK_LOCAL[family], family === 4 ? 32 : 128);
  return family === 4 ? plain : { ...plain, scope: 'link' };
}
