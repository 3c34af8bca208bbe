import { RuleError } from '../option.ts';
import { not } from '../value.ts';
import type { MatchModule } from './module.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['unicast', 'unicast'],
  ['broadcast', 'broadcast'],
  ['multicast', 'multicast'],
  ['bcast', 'broadcast'],
  ['mcast', 'multicast'],
  ['host', 'unicast'],
]);

/** How the frame was addressed (xt_pkttype.c). */
export const pkttype: MatchModule = {
  name: 'pkttype',
  options: [{ name: 'pkt-type', negatable: true, required: true }],
  build(given) {
    const { values, negated } = given.get('pkt-type')!;
    const wanted = TYPES.get(values[0]!.toLowerCase());
    if (wanted === undefined) throw new RuleError(`Bad packet type '${values[0]}'`);
    return { text: `${not(negated)}--pkt-type ${wanted}`, test: ({ packetType }) => (packetType === wanted) !== negated };
  },
};
