import { setMatches } from '../../../ipset/lookup.ts';
import { dimensionsOf } from '../../../ipset/set-type.ts';
import { RuleError } from '../option.ts';
import { join, not, numberOf } from '../value.ts';
import type { GivenOptions, OptionSpec } from '../option.ts';
import type { MatchModule } from './module.ts';

/** IPSET_DIM_MAX: directions a rule may give. */
const MAX_DIRECTIONS = 6;
const COUNTERS = ['packets-eq', 'packets-lt', 'packets-gt', 'bytes-eq', 'bytes-lt', 'bytes-gt'] as const;
const COUNTER_OPTIONS: readonly OptionSpec[] = COUNTERS.map(
  (name) => ({ name, negatable: name.endsWith('-eq') || undefined }) as OptionSpec,
);

/** Membership of an ipset (xt_set.c set_match_v4). */
export const set: MatchModule = {
  name: 'set',
  options: [
    { name: 'match-set', args: 2, negatable: true, required: true },
    { name: 'return-nomatch', args: 0 },
    { name: 'update-counters', args: 0, negatable: true },
    { name: 'update-subcounters', args: 0, negatable: true },
    ...COUNTER_OPTIONS,
  ],
  build(given) {
    const { values, negated } = given.get('match-set')!;
    const name = values[0]!;
    const directions = directionsOf(values[1]!);
    const counters = counterTexts(given);
    const returnNomatch = given.has('return-nomatch');
    const text = join(
      `${not(negated)}--match-set ${name} ${directions.join(',')}`,
      returnNomatch && '--return-nomatch',
      given.has('update-counters') && `${not(given.get('update-counters')!.negated)}--update-counters`,
      given.has('update-subcounters') && `${not(given.get('update-subcounters')!.negated)}--update-subcounters`,
      ...counters,
    );
    if (counters.length > 0) return { text, unknown: true, test: () => 'unknown' };
    return {
      text,
      test: (context) => {
        const ipset = context.ipset(name);
        return ipset && dimensionsOf(ipset.type) ? setMatches(ipset, directions, context, returnNomatch) !== negated : 'unknown';
      },
    };
  },
};

/** "src,dst" */
export function directionsOf(text: string): readonly ('src' | 'dst')[] {
  const directions = text.split(',');
  if (directions.length > MAX_DIRECTIONS) throw new RuleError(`Can't be more src/dst options than ${MAX_DIRECTIONS}.`);
  for (const direction of directions) {
    if (direction !== 'src' && direction !== 'dst')
      throw new RuleError(`You must spefify (the comma separated list of) 'src' or 'dst'.`);
  }
  return directions as readonly ('src' | 'dst')[];
}

function counterTexts(given: GivenOptions): readonly string[] {
  return COUNTERS.flatMap((name) => {
    const option = given.get(name);
    return option
      ? `${not(option.negated)}--${name} ${numberOf(option.values[0]!, 'set', name, 0, Number.MAX_SAFE_INTEGER)}`
      : [];
  });
}
