import { formatMasked, maskedOf, not } from '../value.ts';
import type { MatchModule } from './module.ts';

/** Realm of the packet's route (xt_realm.c). Routes have none here, which is realm 0. */
export const realm: MatchModule = {
  name: 'realm',
  hooks: ['INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  options: [{ name: 'realm', negatable: true, required: true }],
  build(given) {
    const { values, negated } = given.get('realm')!;
    const wanted = maskedOf(values[0]!, 'realm', 'realm');
    return { text: `${not(negated)}--realm ${formatMasked(wanted)}`, test: () => (wanted.value === 0) !== negated };
  },
};
