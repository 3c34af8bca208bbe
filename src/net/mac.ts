import type { Ipv4 } from './ip.ts';

declare const macBrand: unique symbol;
/** A hardware address as lower-case "0a:58:0a:f4:01:02". */
export type Mac = string & { readonly [macBrand]: true };

export const BROADCAST_MAC = 'ff:ff:ff:ff:ff:ff' as Mac;

export function parseMac(text: string): Mac | null {
  return /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text) ? (text.toLowerCase() as Mac) : null;
}

/** Two prefix bytes ("0a:58") followed by the bytes of an IPv4 address, as CNI's bridge plugin forms MACs. */
export function macFromIpv4(prefix: string, address: Ipv4): Mac {
  const hex = address.toString(16).padStart(8, '0');
  return `${prefix}:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}:${hex.slice(6)}` as Mac;
}
