import { cidrOf } from '../../../net/cidr.ts';
import { isIpv4, ipv4, parseIpv6 } from '../../../net/ip.ts';
import { parseMac } from '../../../net/mac.ts';
import { refuse, unmodelled } from '../failure.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { Ipv4 } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';

/** A prefix as written, its host bits kept beside it. */
export interface WrittenPrefix {
  readonly address: Ipv4;
  readonly cidr: Cidr;
  /** The length was given. */
  readonly withLength: boolean;
}

/** An address as `ip` reads it: parts that are left out at the end are 0 (get_addr_ipv4). */
export function parseAddress(text: string, kind = 'inet address'): Ipv4 {
  return readAddress(text) ?? refuse(`Error: ${kind} is expected rather than "${text}".`);
}

/** `A/LEN`, `A/MASK`, `A`, "default", "any", "all". */
export function parsePrefix(text: string): WrittenPrefix {
  if (text === 'default' || text === 'any' || text === 'all')
    return { address: ipv4(0), cidr: cidrOf(ipv4(0), 0), withLength: true };
  const slash = text.indexOf('/');
  const address = readAddress(slash < 0 ? text : text.slice(0, slash));
  const length = slash < 0 ? 32 : readLength(text.slice(slash + 1));
  if (address === null || length === null) return refuse(`Error: any valid prefix is expected rather than "${text}".`);
  return { address, cidr: cidrOf(address, length), withLength: slash >= 0 };
}

/** The destination of a route; default when none was written. The kernel refuses host bits (fib_valid_key_len). */
export function destinationOf(written: WrittenPrefix | undefined): Cidr {
  if (written === undefined) return cidrOf(ipv4(0), 0);
  if (written.cidr.address !== written.address) refuse('Error: Invalid prefix for given prefix length.');
  return written.cidr;
}

export function parseLinkAddress(text: string): Mac {
  return parseMac(text) ?? refuse('Error: Invalid link address.');
}

function readAddress(text: string): Ipv4 | null {
  if (parseIpv6(text) !== null) return unmodelled(`IPv6 (${text})`);
  if (!/^\d{1,3}(\.\d{1,3}){0,3}$/.test(text)) return null;
  const parts = text.split('.').map(Number);
  if (parts.some((part) => part > 255)) return null;
  while (parts.length < 4) parts.push(0);
  const address = ipv4(parts.reduce((value, part) => value * 256 + part, 0));
  return isIpv4(address) ? address : null;
}

function readLength(text: string): number | null {
  if (/^\d{1,2}$/.test(text)) return Number(text) <= 32 ? Number(text) : null;
  const mask = text.includes('.') ? readAddress(text) : null;
  if (mask === null) return null;
  const length = Math.clz32(~mask >>> 0);
  return cidrOf(mask, length).address === mask ? length : null;
}
