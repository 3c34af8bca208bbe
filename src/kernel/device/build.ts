import { loopbackAddress, loopbackAddress6 } from './address.ts';
import type { LoopbackDevice } from './device.ts';

/** lo, up, as every namespace that is in use has it. @param ipv6 IPv6 is on in the namespace, so that lo has ::1 */
export function loopbackDevice(ipv6 = false): LoopbackDevice {
  return {
    kind: 'loopback',
    name: 'lo',
    mac: null,
    mtu: 65536,
    up: true,
    addresses: [loopbackAddress(), ...(ipv6 ? [loopbackAddress6()] : [])],
    master: null,
    hairpin: false,
  };
}

/** What all devices but lo have in common when they are up, no bridge port and without an address. */
export const PLAIN_DEVICE = { up: true, addresses: [], master: null, hairpin: false } as const;

/** IFNAMSIZ without the closing zero: device names have at most 15 characters. */
export const DEVICE_NAME_MAX = 15;
