import { parseMac } from '../../../../net/mac.ts';
import { RuleError } from '../option.ts';
import { not } from '../value.ts';
import type { MatchModule } from './module.ts';

/** Source MAC of the frame the packet came in (xt_mac.c); never holds without one. */
export const mac: MatchModule = {
  name: 'mac',
  hooks: ['PREROUTING', 'INPUT', 'FORWARD'],
  options: [{ name: 'mac-source', negatable: true, required: true }],
  build(given) {
    const { values, negated } = given.get('mac-source')!;
    const wanted = parseMac(values[0]!);
    if (wanted === null) throw new RuleError('mac: bad value for option "--mac-source"');
    return {
      text: `${not(negated)}--mac-source ${wanted}`,
      test: ({ srcMac }) => srcMac !== null && (srcMac === wanted) !== negated,
    };
  },
};
