import { cidrOf, parseCidr } from '../../../net/cidr.ts';
import { ipv6, isIpv4, parseIpv6 } from '../../../net/ip.ts';
import { refuse } from '../failure.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { Ipv6 } from '../../../net/ip.ts';
import type { Host } from '../../host.ts';

/** Do the words of a command line speak of IPv6 without saying `-6`? */
export function mentionsIpv6(words: readonly string[]): boolean {
  return words.some((word) => parseIpv6(word.split('/')[0] ?? '') !== null);
}

export function parseAddress6(text: string, kind = 'inet6 address'): Ipv6 {
  return parseIpv6(text) ?? refuse(`Error: ${kind} is expected rather than "${text}".`);
}

/** `A/LEN`, `A`, "default": the prefix without host bits, as the kernel keeps an IPv6 route's, and the address as written. */
export function parsePrefix6(text: string): { readonly address: Ipv6; readonly cidr: Cidr } {
  if (text === 'default' || text === 'any' || text === 'all') return { address: ipv6(0n), cidr: cidrOf(ipv6(0n), 0) };
  const address = parseIpv6(text.split('/')[0] ?? '');
  const cidr = text.includes('/') ? parseCidr(text) : address && cidrOf(address, 128);
  return address === null || !cidr ? refuse(`Error: inet6 prefix is expected rather than "${text}".`) : { address, cidr };
}

/** Is IPv6 on in this namespace? Then lo has ::1. */
export function hasIpv6({ devices }: Host): boolean {
  return devices.get('lo')?.addresses.some(({ address }) => !isIpv4(address)) ?? false;
}
