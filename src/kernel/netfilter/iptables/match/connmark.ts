import { formatMasked, maskedOf, not } from '../value.ts';
import type { MatchModule } from './module.ts';

/** The mark of the packet's conntrack entry; never holds without an entry (xt_connmark.c connmark_mt). */
export const connmark: MatchModule = {
  name: 'connmark',
  options: [{ name: 'mark', negatable: true, required: true }],
  build(given) {
    const { values, negated } = given.get('mark')!;
    const wanted = maskedOf(values[0]!, 'connmark', 'mark');
    return {
      text: `${not(negated)}--mark ${formatMasked(wanted)}`,
      test: ({ conntrack }) => 'mark' in conntrack && ((conntrack.mark & wanted.mask) >>> 0 === wanted.value) !== negated,
    };
  },
};
