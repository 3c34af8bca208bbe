import { RuleError } from '../option.ts';
import { parseNumber } from '../value.ts';

/** Periods in seconds, longest first. */
const PERIODS = [
  ['day', 86_400],
  ['hour', 3600],
  ['min', 60],
  ['sec', 1],
] as const;
const LONG_NAMES = { day: 'day', hour: 'hour', min: 'minute', sec: 'second' } as const;
/** XT_LIMIT_SCALE: limit keeps its rate as ten-thousandths of a second between two packets. */
export const LIMIT_SCALE = 10_000;
/** XT_HASHLIMIT_SCALE_v2 */
export const HASHLIMIT_SCALE = 1_000_000;

/** "5/min" as the kernel keeps it: the interval between two packets in 1/scale seconds, integer division included. */
export function rateOf(text: string, scale: number): number {
  const [countText, unit = 'second', ...more] = text.split('/');
  const count = parseNumber(countText!, 1);
  const period = PERIODS.find(([name]) => unit !== '' && LONG_NAMES[name].startsWith(unit.toLowerCase()));
  if (count === null || !period || more.length > 0) throw new RuleError(`bad rate "${text}"'`);
  const interval = Math.floor((period[1] * scale) / count);
  if (interval === 0) throw new RuleError(`Rate too fast "${text}"`);
  return interval;
}

/** The unit in which a rate is printed: the shortest in which it is (nearly) a whole number of packets (print_rate). */
function periodOf(interval: number, scale: number): (typeof PERIODS)[number] {
  let index = 1;
  for (; index < PERIODS.length; index++) {
    const units = PERIODS[index]![1] * scale;
    if (interval > units || Math.floor(units / interval) < units % interval) break;
  }
  return PERIODS[index - 1]!;
}

/** "5/min" */
export function formatRate(interval: number, scale: number): string {
  const [name, seconds] = periodOf(interval, scale);
  return `${Math.floor((seconds * scale) / interval)}/${name}`;
}

/** Milliseconds of the unit in which a rate is printed. */
export function ratePeriod(interval: number, scale: number): number {
  return periodOf(interval, scale)[1] * 1000;
}

/** Credit of a rule or a key, in seconds. Plain data, so that state can be copied. */
export interface TokenBucket {
  credit: number;
  /** Milliseconds. */
  updated: number;
}

/** Takes a cost (seconds) from a bucket that saves up no more than `cap`, if there is credit for it; `now` in milliseconds. */
export function takeToken(bucket: TokenBucket, cost: number, cap: number, now: number): boolean {
  bucket.credit = Math.min(cap, bucket.credit + (now - bucket.updated) / 1000);
  bucket.updated = now;
  if (bucket.credit < cost) return false;
  bucket.credit -= cost;
  return true;
}
