import { RuleError, wordOf } from '../option.ts';
import { not, numberOf } from '../value.ts';
import type { GivenOptions } from '../option.ts';
import type { BuiltMatch, MatchModule } from './module.ts';

/** Probabilities are kept in 31 bits (struct xt_statistic_info). */
const SCALE = 0x80000000;

/** Random or every n-th packet (xt_statistic.c). */
export const statistic: MatchModule = {
  name: 'statistic',
  stateful: true,
  options: [
    { name: 'mode', required: true },
    { name: 'probability', negatable: true },
    { name: 'every', negatable: true },
    { name: 'packet' },
  ],
  build(given) {
    const mode = wordOf(given, 'mode');
    if (mode === 'random') return random(given);
    if (mode === 'nth') return nth(given);
    throw new RuleError(`Bad mode "${mode}"`);
  },
};

/** The probability that the kernel makes of `--probability`; null for what is none. */
export function randomProbability(text: string): number | null {
  const wanted = Number(text);
  return wanted >= 0 && wanted <= 1 && /\d/.test(text) ? Math.round(SCALE * wanted) / SCALE : null;
}

function random(given: GivenOptions): BuiltMatch {
  const option = given.get('probability');
  if (!option) throw new RuleError('--probability must be specified when using random mode');
  const probability = randomProbability(option.values[0]!);
  if (probability === null) {
    throw new RuleError('statistic: bad value for option "--probability", or out of range (0-1).');
  }
  const { negated } = option;
  return {
    text: `--mode random ${not(negated)}--probability ${probability.toFixed(11)}`,
    test: (context) => context.draw(probability, `statistic ${context.ruleKey}`) !== negated,
  };
}

/** A counter per rule, which starts so that the packet numbered `packet` (from 0) is the first to match. */
function nth(given: GivenOptions): BuiltMatch {
  const option = given.get('every');
  const start = given.get('packet');
  if (!option) throw new RuleError('statistic: option "--mode nth" also requires "--every".');
  if (!start) throw new RuleError('statistic: option "--every" also requires "--packet".');
  const { negated } = option;
  const every = numberOf(option.values[0]!, 'statistic', 'every', 1);
  const packet = numberOf(start.values[0]!, 'statistic', 'packet', 0);
  if (packet >= every) throw new RuleError('the --packet p must be 0 <= p <= n-1');
  return {
    text: `--mode nth ${not(negated)}--every ${every} --packet ${packet}`,
    test: (context) => {
      const counter = context.moduleState(`statistic:${context.ruleKey}`, () => ({ seen: 0 }));
      const hit = counter.seen % every === packet;
      counter.seen++;
      return hit !== negated;
    },
  };
}
