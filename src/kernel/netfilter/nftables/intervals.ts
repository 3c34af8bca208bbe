import { addToIp, compareIp, formatIp, isIpv4 } from '../../../net/ip.ts';
import { cidrBits, cidrLast } from '../../../net/cidr.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpAddress } from '../../../net/ip.ts';

interface Interval {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** A prefix as nft prints it: without a length when it is one address. */
export function formatPrefix(cidr: Cidr): string {
  return cidr.length === cidrBits(cidr) ? formatIp(cidr.address) : `${formatIp(cidr.address)}/${cidr.length}`;
}

/**
 * The right side of a test against a set of prefixes of one family, as nft lists what was entered as `{ a, b, ... }`: one prefix stands
 * by itself; more are sorted, and overlapping and adjacent ones merged, since a set of prefixes is a set of intervals.
 * @throws RangeError for no prefix at all
 */
export function formatPrefixSet(prefixes: readonly Cidr[]): string {
  const first = prefixes[0];
  if (first === undefined) throw new RangeError('a set of no prefixes');
  if (prefixes.length === 1) return formatPrefix(first);
  return `{ ${mergeIntervals(prefixes).map(formatInterval).join(', ')} }`;
}

function mergeIntervals(prefixes: readonly Cidr[]): readonly Interval[] {
  const sorted = prefixes
    .map((prefix): Interval => ({ first: prefix.address, last: cidrLast(prefix) }))
    .sort((a, b) => compareIp(a.first, b.first) || compareIp(b.last, a.last));
  const merged: Interval[] = [];
  for (const interval of sorted) {
    const before = merged.at(-1);
    const touches =
      before !== undefined && (compareIp(interval.first, before.last) <= 0 || addToIp(before.last, 1) === interval.first);
    if (!touches) merged.push(interval);
    else if (compareIp(interval.last, before.last) > 0) merged[merged.length - 1] = { first: before.first, last: interval.last };
  }
  return merged;
}

/** One address, a prefix where the interval is one, else "first-last". */
function formatInterval({ first, last }: Interval): string {
  if (first === last) return formatIp(first);
  const length = prefixLength(first, last);
  return length === null ? `${formatIp(first)}-${formatIp(last)}` : `${formatIp(first)}/${length}`;
}

/** Length of the prefix that spans just these addresses; null when there is none. */
function prefixLength(first: IpAddress, last: IpAddress): number | null {
  const bits = isIpv4(first) ? 32 : 128;
  const [low, high] = [BigInt(first), BigInt(last)];
  const differing = low ^ high;
  const hostBits = differing.toString(2).length;
  const hostMask = (1n << BigInt(hostBits)) - 1n;
  return differing === hostMask && (low & hostMask) === 0n && (high & hostMask) === hostMask ? bits - hostBits : null;
}
