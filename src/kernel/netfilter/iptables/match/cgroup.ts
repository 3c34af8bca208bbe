import { exactlyOne } from '../option.ts';
import { not, numberOf } from '../value.ts';
import { joinRuleWords } from '../words.ts';
import type { MatchModule } from './module.ts';

/** Control group of the sending process (xt_cgroup.c): never holds without a socket; which group it is can't be told. */
export const cgroup: MatchModule = {
  name: 'cgroup',
  hooks: ['INPUT', 'OUTPUT', 'POSTROUTING'],
  options: [
    { name: 'path', negatable: true },
    { name: 'cgroup', negatable: true },
  ],
  build(given) {
    const { name, values, negated } = exactlyOne(
      given,
      'cgroup',
      ['path', 'cgroup'],
      'cgroup: either --path or --cgroup must be specified',
    );
    const value = name === 'path' ? joinRuleWords(values) : `${numberOf(values[0]!, 'cgroup', 'cgroup')}`;
    return { text: `${not(negated)}--${name} ${value}`, test: ({ socket }) => (socket === null ? false : 'unknown') };
  },
};
