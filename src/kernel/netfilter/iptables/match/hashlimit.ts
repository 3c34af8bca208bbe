import { cidrOf } from '../../../../net/cidr.ts';
import { portsOf } from '../../../../net/packet.ts';
import { exactlyOne, RuleError, wordOf } from '../option.ts';
import { join, numberOf } from '../value.ts';
import { formatRate, HASHLIMIT_SCALE, ratePeriod, rateOf, takeToken } from './token-bucket.ts';
import type { Packet } from '../../../../net/packet.ts';
import type { GivenOptions } from '../option.ts';
import type { BuiltMatch, MatchModule } from './module.ts';
import type { TokenBucket } from './token-bucket.ts';

/** In the order of iptables-save (print_mode). */
const MODES = ['srcip', 'srcport', 'dstip', 'dstport'] as const;
type Mode = (typeof MODES)[number];
const MISSING = 'You have to specify --hashlimit';
const DEFAULT_BURST = 5;
const DEFAULT_GC_INTERVAL = 1000;

/** A token bucket per address or port, in tables by name (xt_hashlimit.c). A rate of bytes is not modelled. */
export const hashlimit: MatchModule = {
  name: 'hashlimit',
  stateful: true,
  options: [
    { name: 'hashlimit-upto', aliases: ['hashlimit'], negatable: true },
    { name: 'hashlimit-above' },
    { name: 'hashlimit-burst' },
    { name: 'hashlimit-mode' },
    { name: 'hashlimit-name', required: true },
    { name: 'hashlimit-htable-size' },
    { name: 'hashlimit-htable-max' },
    { name: 'hashlimit-htable-gcinterval' },
    { name: 'hashlimit-htable-expire' },
    { name: 'hashlimit-srcmask' },
    { name: 'hashlimit-dstmask' },
    { name: 'hashlimit-rate-match', args: 0 },
    { name: 'hashlimit-rate-interval' },
  ],
  build(given, { family }) {
    const rate = exactlyOne(given, 'hashlimit', ['hashlimit-upto', 'hashlimit-above'], MISSING);
    const above = (rate.name === 'hashlimit-above') !== rate.negated;
    const option = above ? '--hashlimit-above' : '--hashlimit-upto';
    if (/b\/?s?$/.test(rate.values[0]!)) return byteRate(given, `${option} ${rate.values[0]}`, family);
    const interval = rateOf(rate.values[0]!, HASHLIMIT_SCALE);
    const burst = given.has('hashlimit-burst')
      ? numberOf(wordOf(given, 'hashlimit-burst'), 'hashlimit', 'hashlimit-burst', 1)
      : DEFAULT_BURST;
    const text = join(
      `${option} ${formatRate(interval, HASHLIMIT_SCALE)}`,
      `--hashlimit-burst ${burst}`,
      tableText(given, family, ratePeriod(interval, HASHLIMIT_SCALE)),
    );
    if (given.has('hashlimit-rate-match')) return { text, unknown: true, test: () => 'unknown' };
    const keyOf = keyFunction(given, family);
    const cost = interval / HASHLIMIT_SCALE;
    const name = wordOf(given, 'hashlimit-name');
    return {
      text,
      test: (context) => {
        const { packet, now } = context;
        const buckets = context.moduleState<Map<string, TokenBucket>>(`hashlimit:${name}`, () => new Map());
        const key = keyOf(packet);
        const bucket = buckets.get(key) ?? { credit: cost * burst, updated: now };
        buckets.set(key, bucket);
        return takeToken(bucket, cost, cost * burst, now) !== above;
      },
    };
  },
};

function byteRate(given: GivenOptions, rate: string, family: 4 | 6): BuiltMatch {
  const burst = wordOf(given, 'hashlimit-burst');
  return {
    text: join(rate, burst && `--hashlimit-burst ${burst}`, tableText(given, family, -1)),
    unknown: true,
    test: () => 'unknown',
  };
}

function modesOf(given: GivenOptions): readonly Mode[] {
  const text = wordOf(given, 'hashlimit-mode');
  if (text === '') return [];
  const names = text.split(',');
  if (names.some((name) => !(MODES as readonly string[]).includes(name)))
    throw new RuleError(`hashlimit: bad value for option "--hashlimit-mode"`);
  return MODES.filter((mode) => names.includes(mode));
}

function tableText(given: GivenOptions, family: 4 | 6, defaultExpire: number): string {
  const bits = family === 4 ? 32 : 128;
  const number = (name: string, normal: number) => {
    if (!given.has(name)) return '';
    const value = numberOf(wordOf(given, name), 'hashlimit', name);
    return value === normal ? '' : `--${name} ${value}`;
  };
  const modes = modesOf(given);
  const rateMatch = given.has('hashlimit-rate-match');
  return join(
    modes.length > 0 && `--hashlimit-mode ${modes.join(',')}`,
    `--hashlimit-name ${wordOf(given, 'hashlimit-name')}`,
    number('hashlimit-htable-size', 0),
    number('hashlimit-htable-max', 0),
    number('hashlimit-htable-gcinterval', DEFAULT_GC_INTERVAL),
    number('hashlimit-htable-expire', defaultExpire),
    number('hashlimit-srcmask', bits),
    number('hashlimit-dstmask', bits),
    rateMatch && '--hashlimit-rate-match',
    rateMatch && number('hashlimit-rate-interval', 1),
  );
}

function keyFunction(given: GivenOptions, family: 4 | 6): (packet: Packet) => string {
  const modes = modesOf(given);
  const bits = family === 4 ? 32 : 128;
  const length = (name: string) => (given.has(name) ? numberOf(wordOf(given, name), 'hashlimit', name, 0, bits) : bits);
  const source = length('hashlimit-srcmask');
  const destination = length('hashlimit-dstmask');
  return (packet) =>
    modes
      .map((mode) => {
        if (mode === 'srcip') return cidrOf(packet.src, source).address;
        if (mode === 'dstip') return cidrOf(packet.dst, destination).address;
        const ports = portsOf(packet);
        return (mode === 'srcport' ? ports?.sport : ports?.dport) ?? 0;
      })
      .join(' ');
}
