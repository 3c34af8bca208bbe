import { RuleError } from '../option.ts';
import { stateTest } from './conntrack.ts';
import type { MatchModule } from './module.ts';

/** The old spelling of `conntrack --ctstate` (libxt_conntrack.c state_mt_reg). */
export const state: MatchModule = {
  name: 'state',
  options: [{ name: 'state', negatable: true, required: true }],
  build(given) {
    if (/[SD]NAT/i.test(given.get('state')!.values[0]!)) throw new RuleError('Bad state');
    const { text, test } = stateTest(given.get('state'), 'state')!;
    return { text, test: ({ conntrack }) => test(conntrack) };
  },
};
