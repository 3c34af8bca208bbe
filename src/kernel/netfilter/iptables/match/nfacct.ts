import { wordOf } from '../option.ts';
import type { MatchModule } from './module.ts';

/** Counts packets under a name; always holds (xt_nfacct.c). */
export const nfacct: MatchModule = {
  name: 'nfacct',
  options: [{ name: 'nfacct-name', required: true }],
  build: (given) => ({ text: `--nfacct-name ${wordOf(given, 'nfacct-name')}`, test: () => true }),
};
