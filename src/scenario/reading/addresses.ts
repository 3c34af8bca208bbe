import { parseCidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { familyOf, parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Container, Key, Mapping } from '../source/container.ts';
import { isList, valueAt } from '../source/container.ts';
import type { Reader } from './reader.ts';

/** An address of either family, strictly written. */
export function readIp(reader: Reader, container: Container, key: Key): IpAddress | undefined {
  const text = reader.string(container, key);
  if (text === undefined) return undefined;
  return parseIp(text) ?? reader.wrong(container, key, 'an IP address', sloppyHint(text, parseIpSloppy));
}

/** The hostIP of a container port; undefined also for the unspecified address, which stands for every address of the node. */
export function readHostIp(reader: Reader, port: Mapping): IpAddress | undefined {
  const ip = valueAt(port, 'hostIP') === '' ? undefined : readIp(reader, port, 'hostIP');
  return ip === undefined || BigInt(ip) === 0n ? undefined : ip;
}

/** `ADDRESS/LENGTH` with its host bits. */
export function readIpWithLength(
  reader: Reader,
  container: Container,
  key: Key,
): { readonly address: IpAddress; readonly length: number } | undefined {
  const text = reader.string(container, key);
  if (text === undefined) return undefined;
  const cidr = text.includes('/') ? parseCidr(text) : null;
  const address = parseIp(text.slice(0, Math.max(0, text.indexOf('/'))));
  if (cidr === null || address === null)
    return reader.wrong(container, key, 'an address with its prefix length, such as 10.0.2.15/24');
  return { address, length: cidr.length };
}

/** One address, or a list of them, or several separated by commas: at most one a family. */
export function readIps(reader: Reader, container: Container, key: Key): readonly IpAddress[] | undefined {
  return readFamilies(reader, container, key, 'an IP address', parseIp, familyOf);
}

/** One range, or a list of them, or several separated by commas: at most one a family. An empty text is no range. */
export function readCidrs(reader: Reader, container: Container, key: Key): readonly Cidr[] | undefined {
  const parse = (text: string): Cidr | null => (text.includes('/') ? parseCidr(text) : null);
  return readFamilies(reader, container, key, 'a range such as 10.244.0.0/16', parse, (cidr) => familyOf(cidr.address));
}

function readFamilies<T>(
  reader: Reader,
  container: Container,
  key: Key,
  expected: string,
  parse: (text: string) => T | null,
  family: (value: T) => number,
): readonly T[] | undefined {
  const given = valueAt(container, key);
  if (given === undefined) return undefined;
  const texts = isList(given) ? reader.texts(container, key) : reader.string(container, key)?.split(',');
  if (texts === undefined) return undefined;
  const values: T[] = [];
  for (const text of texts) {
    if (text.trim() === '' && !isList(given) && texts.length === 1) continue;
    const value = parse(text.trim());
    if (value === null) return reader.wrong(container, key, expected, sloppyHint(text, parseIpSloppy));
    values.push(value);
  }
  if (new Set(values.map(family)).size < values.length) return reader.wrong(container, key, 'at most one of each IP family');
  return values;
}

function sloppyHint(text: string, parse: (text: string) => unknown): string | undefined {
  return parse(text) !== null && parseIp(text) === null ? 'Leading zeroes are not allowed in an IPv4 address' : undefined;
}

/** As Kubernetes' ParseIPSloppy: like {@link parseIp}, but leading zeroes of an IPv4 address are passed over (all decimal). */
export function parseIpSloppy(text: string): IpAddress | null {
  return parseIp(text) ?? (/^\d{1,12}(\.\d{1,12}){3}$/.test(text) ? parseIp(withoutLeadingZeroes(text)) : null);
}

/** As Kubernetes' ParseCIDRSloppy: a prefix length is required, host bits are cleared. */
export function parseCidrSloppy(text: string): Cidr | null {
  if (!text.includes('/')) return null;
  return parseCidr(text) ?? parseCidr(withoutLeadingZeroes(text));
}

function withoutLeadingZeroes(text: string): string {
  return text.replace(/(^|\.)0+(?=\d)/g, '$1');
}
