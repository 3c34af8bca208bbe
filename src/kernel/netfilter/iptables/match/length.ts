import { formatRange, not, rangeOf } from '../value.ts';
import type { MatchModule } from './module.ts';

/** Length of the IP packet (xt_length.c). */
export const length: MatchModule = {
  name: 'length',
  options: [{ name: 'length', negatable: true, required: true }],
  build(given) {
    const { values, negated } = given.get('length')!;
    const range = rangeOf(values[0]!, 'length', 'length', 65535);
    return {
      text: `${not(negated)}--length ${formatRange(range)}`,
      test: ({ packet }) => (packet.length >= range.min && packet.length <= range.max) !== negated,
    };
  },
};
