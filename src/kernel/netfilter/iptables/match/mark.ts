import { formatMasked, maskedOf, not } from '../value.ts';
import type { MatchModule } from './module.ts';

/** The packet's mark (xt_mark.c mark_mt). */
export const mark: MatchModule = {
  name: 'mark',
  options: [{ name: 'mark', negatable: true, required: true }],
  build(given) {
    const { values, negated } = given.get('mark')!;
    const wanted = maskedOf(values[0]!, 'mark', 'mark');
    return {
      text: `${not(negated)}--mark ${formatMasked(wanted)}`,
      test: (context) => ((context.mark & wanted.mask) >>> 0 === wanted.value) !== negated,
    };
  },
};
