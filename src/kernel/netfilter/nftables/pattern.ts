import { cidrLast, parseCidr } from '../../../net/cidr.ts';
import { parseIp } from '../../../net/ip.ts';
import type { NftDatum } from './selector.ts';

/** What a value of a rule or a part of a set's key fits: a text, an interval of numbers, a beginning, anything. */
type Pattern =
  | { readonly kind: 'exact'; readonly text: string }
  | { readonly kind: 'interval'; readonly low: bigint; readonly high: bigint }
  | { readonly kind: 'beginning'; readonly text: string }
  | { readonly kind: 'any' };

const patterns = new Map<string, Pattern>();

/** Does a value fit a pattern as nft prints it: "10.0.0.0/8", "1000-2000", "0x00000000/1", `"cali*"`, "new"? */
export function fitsPattern({ text, number, flags }: NftDatum, pattern: string): boolean {
  const parsed = patternOf(pattern);
  switch (parsed.kind) {
    case 'exact':
      return flags === undefined ? text === parsed.text : flags.includes(parsed.text);
    case 'interval':
      return number !== null && number >= parsed.low && number <= parsed.high;
    case 'beginning':
      return text.startsWith(parsed.text);
    case 'any':
      return true;
  }
}

/** True when only one text fits. */
export function isExact(pattern: string): boolean {
  return parsePattern(pattern).kind === 'exact';
}

/** A value's number: of an address, a decimal or hexadecimal number; null for other texts. */
export function valueNumber(text: string): bigint | null {
  if (/^(?:\d+|0x[\da-f]+)$/i.test(text)) return BigInt(text);
  const address = parseIp(text);
  return address === null ? null : BigInt(address);
}

/** Texts come from rules and intervals, of which there are few. */
function patternOf(text: string): Pattern {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  if (patterns.size > 10_000) patterns.clear();
  const pattern = parsePattern(text);
  patterns.set(text, pattern);
  return pattern;
}

function parsePattern(text: string): Pattern {
  if (text === '*') return { kind: 'any' };
  if (text.startsWith('"')) return text.endsWith('*"') ? { kind: 'beginning', text: text.slice(0, -2) } : { kind: 'exact', text };
  const mark = /^(0x[\da-f]{8})\/(\d+)$/.exec(text);
  if (mark) return prefix(BigInt(mark[1]!), 32 - Number(mark[2]));
  const cidr = text.includes('/') ? parseCidr(text) : null;
  if (cidr) return { kind: 'interval', low: BigInt(cidr.address), high: BigInt(cidrLast(cidr)) };
  const dash = text.indexOf('-');
  const [low, high] = dash < 0 ? [null, null] : [valueNumber(text.slice(0, dash)), valueNumber(text.slice(dash + 1))];
  if (low !== null && high !== null) return { kind: 'interval', low, high };
  return { kind: 'exact', text };
}

function prefix(value: bigint, hostBits: number): Pattern {
  return { kind: 'interval', low: value, high: value + (1n << BigInt(hostBits)) - 1n };
}
