import { isIpv4 } from './ip.ts';
import type { IpAddress } from './ip.ts';

declare const macBrand: unique symbol;
/** A hardware address as lower-case "0a:58:0a:f4:01:02". */
export type Mac = string & { readonly [macBrand]: true };

export const BROADCAST_MAC = 'ff:ff:ff:ff:ff:ff' as Mac;

export function parseMac(text: string): Mac | null {
  return /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text) ? (text.toLowerCase() as Mac) : null;
}

/**
 * Two prefix bytes ("0a:58") followed by the bytes of an IPv4 address, as CNI's bridge plugin forms MACs. An IPv6 address, from which
 * nobody forms one, is folded to four bytes.
 */
export function macFromIp(prefix: string, address: IpAddress): Mac {
  const hex = (isIpv4(address) ? address : folded(address)).toString(16).padStart(8, '0');
  return `${prefix}:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}:${hex.slice(6)}` as Mac;
}

/** The four words of an IPv6 address in one: the last counts as it is, so that neighbours differ. */
function folded(address: bigint): number {
  const word = (shift: bigint): number => Number((address >> shift) & 0xffffffffn);
  return (
    (word(0n) ^ Math.imul(word(32n), 0x9e3779b1) ^ Math.imul(word(64n), 0x85ebca6b) ^ Math.imul(word(96n), 0xc2b2ae35)) >>> 0
  );
}
