import { ipv4, ipv6, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';

/** A name in lower case and without its last dot: DNS compares so (RFC 4343). */
export function canonicalName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** What stands before a zone in a canonical name: "" for the zone itself, null for a name outside of it. */
export function withoutZone(name: string, zone: string): string | null {
  if (name === zone) return '';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : null;
}

/** The address that a canonical name under in-addr.arpa or ip6.arpa stands for (RFC 1035 3.5, RFC 3596 2.5); null for any other name. */
export function addressOfReverseName(name: string): IpAddress | null {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.in-addr\.arpa$/.exec(name);
  if (four !== null) {
    const bytes = four.slice(1).map(Number);
    return bytes.every((byte) => byte <= 255) ? ipv4(bytes.reduceRight((sum, byte) => sum * 256 + byte, 0)) : null;
  }
  if (!/^(?:[0-9a-f]\.){32}ip6\.arpa$/.test(name)) return null;
  const nibbles = name.split('.').slice(0, 32).reverse().join('');
  return ipv6(BigInt(`0x${nibbles}`));
}

/** The label that CoreDNS gives to an address: its text with dashes for dots or colons. */
export function dashedAddress(address: string): string {
  return address.replace(/[.:]/g, '-').toLowerCase();
}

/** The address behind such a label: with three single dashes IPv4, else IPv6 (CoreDNS kubernetes `findPods`). Null for none. */
export function addressOfDashed(label: string): IpAddress | null {
  const isIpv4Form = label.split('-').length === 4 && !label.includes('--');
  return parseIp(label.replaceAll('-', isIpv4Form ? '.' : ':'));
}
