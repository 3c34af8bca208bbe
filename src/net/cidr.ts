import { formatIp, ipv4, ipv6, isIpv4, parseIp } from './ip.ts';
import type { IpAddress, Ipv4, Ipv6 } from './ip.ts';

/** A prefix with its host bits cleared. */
export type Cidr =
  | { readonly address: Ipv4; readonly mask: Ipv4; readonly length: number }
  | { readonly address: Ipv6; readonly mask: Ipv6; readonly length: number };

const ALL_ONES_6 = (1n << 128n) - 1n;

/** The prefix of `length` bits that holds `address` (host bits cleared). */
export function cidrOf(address: IpAddress, length: number): Cidr {
  if (isIpv4(address)) {
    const mask = ipv4(length === 0 ? 0 : -1 << (32 - length));
    return { address: ipv4(address & mask), mask, length };
  }
  const mask = ipv6(length === 0 ? 0n : ALL_ONES_6 << BigInt(128 - length));
  return { address: ipv6(address & mask), mask, length };
}

/** The prefix that holds one address alone: /32, of IPv6 /128. */
export function hostPrefix(address: IpAddress): Cidr {
  return cidrOf(address, isIpv4(address) ? 32 : 128);
}

/** "10.244.0.0/16"; a bare address is a host prefix. Host bits are cleared. Null when malformed. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  const address = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (address === null) return null;
  if (slash < 0) return hostPrefix(address);
  const bits = isIpv4(address) ? 32 : 128;
  const lengthText = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(lengthText) || Number(lengthText) > bits) return null;
  return cidrOf(address, Number(lengthText));
}

/** True when the address is of the prefix's family and inside it. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  if (typeof address === 'number') return isIpv4Cidr(cidr) && (address & cidr.mask) >>> 0 === cidr.address;
  return !isIpv4Cidr(cidr) && (address & cidr.mask) === cidr.address;
}

export function isIpv4Cidr(cidr: Cidr): cidr is Extract<Cidr, { address: Ipv4 }> {
  return typeof cidr.address === 'number';
}

/** Number of address bits of the prefix's family. */
export function cidrBits(cidr: Cidr): 32 | 128 {
  return isIpv4Cidr(cidr) ? 32 : 128;
}

export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return a.length <= b.length ? cidrContains(a, b.address) : cidrContains(b, a.address);
}

/** The last address of the prefix; an IPv4 subnet's broadcast address. */
export function cidrLast(cidr: Cidr): IpAddress {
  return isIpv4Cidr(cidr) ? ipv4(cidr.address | ~cidr.mask) : ipv6(cidr.address | (cidr.mask ^ ALL_ONES_6));
}

/** Always with its length: "10.0.0.1/32". */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.address)}/${cidr.length}`;
}

export function sameCidr(a: Cidr, b: Cidr): boolean {
  return a.length === b.length && a.address === b.address;
}
