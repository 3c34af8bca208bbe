import { wordOf } from '../option.ts';
import { quoteValue } from '../words.ts';
import type { MatchModule } from './module.ts';

/** A remark; always holds (xt_comment.c). */
export const comment: MatchModule = {
  name: 'comment',
  options: [{ name: 'comment', required: true }],
  build: (given) => ({ text: `--comment ${quoteValue(wordOf(given, 'comment'))}`, test: () => true }),
};
