import ipaddr from 'ipaddr.js';

declare const ipv4Brand: unique symbol;
declare const ipv6Brand: unique symbol;

/** An IPv4 address as an unsigned 32-bit number. */
export type Ipv4 = number & { readonly [ipv4Brand]: true };
/** An IPv6 address as an unsigned 128-bit integer. */
export type Ipv6 = bigint & { readonly [ipv6Brand]: true };
/**
 * An address of either family. The representation tells the family (`typeof a === 'number'`), compares with `===` and
 * serves as a Map key.
 */
export type IpAddress = Ipv4 | Ipv6;
export type IpFamily = 4 | 6;

export function familyOf(address: IpAddress): IpFamily {
  return typeof address === 'number' ? 4 : 6;
}

export function isIpv4(address: IpAddress): address is Ipv4 {
  return typeof address === 'number';
}

/** Bytes of an IP header without options or extension headers (RFC 791, RFC 8200). */
export function ipHeaderLength(address: IpAddress): number {
  return isIpv4(address) ? 20 : 40;
}

/** Brands a number in 0 .. 2^32-1; wraps others as the kernel's __be32 arithmetic does. */
export function ipv4(value: number): Ipv4 {
  return (value >>> 0) as Ipv4;
}

/** Brands an integer; wraps it to 128 bits. */
export function ipv6(value: bigint): Ipv6 {
  return BigInt.asUintN(128, value) as Ipv6;
}

/** Four decimal parts without leading zeroes ("10.0.0.1"); null for anything else ("010.0.0.1", "10.1"). */
export function parseIpv4(text: string): Ipv4 | null {
  let value = 0;
  let part = -1;
  let parts = 0;
  let digits = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = i < text.length ? text.charCodeAt(i) : 46;
    if (c === 46) {
      if (part < 0 || part > 255) return null;
      value = value * 256 + part;
      parts++;
      part = -1;
      digits = 0;
    } else if (c >= 48 && c <= 57) {
      if (part === 0 || digits === 3) return null;
      part = Math.max(part, 0) * 10 + (c - 48);
      digits++;
    } else return null;
  }
  return parts === 4 ? (value as Ipv4) : null;
}

/** RFC 4291 text without a zone; null for anything else. */
export function parseIpv6(text: string): Ipv6 | null {
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return null;
  let value = 0n;
  for (const byte of ipaddr.IPv6.parse(text).toByteArray()) value = (value << 8n) | BigInt(byte);
  return value as Ipv6;
}

/** Parses an address of either family; null when it is not one. */
export function parseIp(text: string): IpAddress | null {
  return parseIpv4(text) ?? parseIpv6(text);
}

export function formatIpv4(address: Ipv4): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** Canonical text: dotted decimal, or RFC 5952. */
export function formatIp(address: IpAddress): string {
  if (isIpv4(address)) return formatIpv4(address);
  const bytes: number[] = [];
  for (let shift = 120n; shift >= 0n; shift -= 8n) bytes.push(Number((address >> shift) & 255n));
  return new ipaddr.IPv6(bytes).toRFC5952String();
}

/** "10.0.0.1:80", "[fd00::1]:80". */
export function formatEndpoint(address: IpAddress, port: number): string {
  return isIpv4(address) ? `${formatIpv4(address)}:${port}` : `[${formatIp(address)}]:${port}`;
}

/** The address `offset` places further; stays within the family. */
export function addToIp(address: IpAddress, offset: number): IpAddress {
  return isIpv4(address) ? ipv4(address + offset) : ipv6(address + BigInt(offset));
}

/** Orders IPv4 before IPv6, then by value. */
export function compareIp(a: IpAddress, b: IpAddress): number {
  if (isIpv4(a) !== isIpv4(b)) return isIpv4(a) ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** 224.0.0.0/4 or ff00::/8. */
export function isMulticast(address: IpAddress): boolean {
  return isIpv4(address) ? address >>> 28 === 14 : address >> 120n === 0xffn;
}
