import { dscpOfClass } from '../dscp-class.ts';
import { exactlyOne } from '../option.ts';
import { hex2, not, numberOf } from '../value.ts';
import type { MatchModule } from './module.ts';

/** The upper six bits of TOS (xt_dscp.c dscp_mt). */
export const dscp: MatchModule = {
  name: 'dscp',
  options: [
    { name: 'dscp', negatable: true },
    { name: 'dscp-class', negatable: true },
  ],
  build(given) {
    const { name, values, negated } = exactlyOne(
      given,
      'dscp',
      ['dscp', 'dscp-class'],
      'DSCP match: Parameter --dscp is required',
    );
    const wanted = name === 'dscp' ? numberOf(values[0]!, 'dscp', 'dscp', 0, 0x3f) : dscpOfClass(values[0]!);
    return { text: `${not(negated)}--dscp ${hex2(wanted)}`, test: ({ packet }) => (packet.tos >> 2 === wanted) !== negated };
  },
};
