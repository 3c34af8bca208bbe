import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { invalidArgument } from '../option.ts';
import { formatRange, not, rangeOf } from '../value.ts';
import { requireProtocol } from './ports.ts';
import type { MatchModule } from './module.ts';

/**
 * The MSS option of a SYN (xt_tcpmss.c). Other segments carry none and then only a negated match holds.
 */
export const tcpmss: MatchModule = {
  name: 'tcpmss',
  options: [{ name: 'mss', negatable: true, required: true }],
  build(given, scope) {
    requireProtocol(scope, PROTOCOL_NUMBER.tcp, invalidArgument);
    const { values, negated } = given.get('mss')!;
    const range = rangeOf(values[0]!, 'tcpmss', 'mss', 65535);
    return {
      text: `${not(negated)}--mss ${formatRange(range)}`,
      test: ({ packet: { l4 } }) => {
        const mss = l4.protocol === 'tcp' ? l4.mss : undefined;
        return (mss !== undefined && mss >= range.min && mss <= range.max) !== negated;
      },
    };
  },
};
