import { cidrOf, formatCidr } from '../../../net/cidr.ts';
import { formatIp, ipv4, ipv6, isIpv4, parseIp } from '../../../net/ip.ts';
import { RuleError } from './option.ts';
import type { IpAddress } from '../../../net/ip.ts';

/** An address, host bits and all, and a mask that need not be a prefix ("10.0.0.0/255.0.255.0"). */
export interface HostMask {
  readonly address: IpAddress;
  readonly mask: IpAddress;
}

/** Does a host mask cover an address of its family? */
export function hostMaskContains({ address, mask }: HostMask, other: IpAddress): boolean {
  if (typeof address === 'number') return typeof other === 'number' && ((other ^ address) & (mask as number)) === 0;
  return typeof other === 'bigint' && ((other ^ address) & (mask as bigint)) === 0n;
}

/** True when every address of the family is covered. */
export function coversAll({ mask }: HostMask): boolean {
  return mask === 0 || mask === 0n;
}

/** Reads ADDRESS[/LENGTH|/MASK]. Names are refused: k8snet has no resolver. */
export function hostMaskOf(text: string, family: 4 | 6): HostMask {
  const slash = text.indexOf('/');
  const addressText = slash < 0 ? text : text.slice(0, slash);
  const address = parseIp(family === 4 ? padIpv4(addressText) : addressText);
  if (address === null || isIpv4(address) !== (family === 4)) throw new RuleError(`host/network \`${addressText}' not found`);
  const mask = slash < 0 ? maskOfLength(family === 4 ? 32 : 128, family) : parseMask(text.slice(slash + 1), family);
  return { address, mask };
}

/** As -s and -d are printed: host bits cleared, always with a mask ("10.0.0.1/32", "10.0.0.0/255.0.255.0"). */
export function formatHostMask({ address, mask }: HostMask): string {
  const length = prefixLength(mask);
  if (length !== null) return formatCidr(cidrOf(address, length));
  const network = isIpv4(address) ? ipv4(address & (mask as number)) : ipv6(address & (mask as bigint));
  return `${formatIp(network)}/${formatIp(mask)}`;
}

/** As --ctorigsrc and --vaddr are printed: as given, and a host without its length. */
export function formatHostMaskShort({ address, mask }: HostMask): string {
  const length = prefixLength(mask);
  return length === (isIpv4(mask) ? 32 : 128) ? formatIp(address) : `${formatIp(address)}/${length ?? formatIp(mask)}`;
}

/** Length of a contiguous mask; null for another. */
export function prefixLength(mask: IpAddress): number | null {
  if (isIpv4(mask)) {
    const hostBits = ~mask >>> 0;
    return (hostBits & (hostBits + 1)) === 0 ? Math.clz32(hostBits) : null;
  }
  const bits = mask.toString(2).padStart(128, '0');
  const length = bits.indexOf('0') < 0 ? bits.length : bits.indexOf('0');
  return bits.includes('1', length) ? null : length;
}

function parseMask(text: string, family: 4 | 6): IpAddress {
  if (/^\d+$/.test(text) && Number(text) <= (family === 4 ? 32 : 128)) return maskOfLength(Number(text), family);
  const mask = parseIp(text);
  if (mask === null || isIpv4(mask) !== (family === 4)) throw new RuleError(`invalid mask \`${text}' specified`);
  return mask;
}

function maskOfLength(length: number, family: 4 | 6): IpAddress {
  return cidrOf(family === 4 ? ipv4(0) : ipv6(0n), length).mask;
}

/** libxtables completes a short address on the right: "10.1" is 10.1.0.0. */
function padIpv4(text: string): string {
  const parts = text.split('.');
  return parts.length < 4 && /^\d+(\.\d+)*$/.test(text)
    ? [...parts, ...Array<string>(4 - parts.length).fill('0')].join('.')
    : text;
}
