import { wordOf } from '../option.ts';
import { join, numberOf } from '../value.ts';
import { formatRate, LIMIT_SCALE, rateOf, takeToken } from './token-bucket.ts';
import type { MatchModule } from './module.ts';
import type { TokenBucket } from './token-bucket.ts';

const DEFAULT_BURST = 5;

/** A token bucket per rule (xt_limit.c limit_mt). */
export const limit: MatchModule = {
  name: 'limit',
  stateful: true,
  options: [{ name: 'limit' }, { name: 'limit-burst' }],
  build(given) {
    const interval = rateOf(wordOf(given, 'limit') || '3/hour', LIMIT_SCALE);
    const burst = given.has('limit-burst')
      ? numberOf(wordOf(given, 'limit-burst'), 'limit', 'limit-burst', 0, 10_000)
      : DEFAULT_BURST;
    const cost = interval / LIMIT_SCALE;
    return {
      text: join(`--limit ${formatRate(interval, LIMIT_SCALE)}`, burst !== DEFAULT_BURST && `--limit-burst ${burst}`),
      test: (context) => {
        const { now } = context;
        const bucket = context.moduleState<TokenBucket>(`limit:${context.ruleKey}`, () => ({
          credit: cost * burst,
          updated: now,
        }));
        return takeToken(bucket, cost, cost * burst, now);
      },
    };
  },
};
