import { join } from '../value.ts';
import type { MatchModule } from './module.ts';

/** Would an answer leave by the device the packet came by (ipt_rpfilter.c rpfilter_mt)? */
export const rpfilter: MatchModule = {
  name: 'rpfilter',
  tables: ['raw', 'mangle'],
  hooks: ['PREROUTING'],
  options: [
    { name: 'loose', args: 0 },
    { name: 'validmark', args: 0 },
    { name: 'accept-local', args: 0 },
    { name: 'invert', args: 0 },
  ],
  build(given) {
    const [loose, validMark, acceptLocal, invert] = ['loose', 'validmark', 'accept-local', 'invert'].map((name) =>
      given.has(name),
    ) as [boolean, boolean, boolean, boolean];
    return {
      text: join(loose && '--loose', validMark && '--validmark', acceptLocal && '--accept-local', invert && '--invert'),
      test: (context) => context.reversePath(loose, acceptLocal, validMark) !== invert,
    };
  },
};
