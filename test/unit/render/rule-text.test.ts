import { expect, test } from 'vitest';
import { ruleParts } from '../../../src/render/text/rule-text.ts';

test.each([
  ['-A A -j B', { target: 'B', targetOptions: '', comment: null, probability: null }],
  ['-A A -g B', { target: 'B', targetOptions: '', comment: null, probability: null }],
  ['-A A -s 10.0.0.0/8', { target: null, targetOptions: '', comment: null, probability: null }],
  [
    '-A A -p tcp -m comment --comment "default/web:http" -m tcp -j DNAT --to-destination 10.0.0.1:80',
    { target: 'DNAT', targetOptions: '--to-destination 10.0.0.1:80', comment: 'default/web:http', probability: null },
  ],
  [
    '-A A -m comment --comment "a \\"quoted\\" -j DROP" -j ACCEPT',
    { target: 'ACCEPT', targetOptions: '', comment: 'a "quoted" -j DROP', probability: null },
  ],
  ['-A A -m comment --comment word -j B', { target: 'B', targetOptions: '', comment: 'word', probability: null }],
  [
    '-A A -m statistic --mode random --probability 0.50000000000 -j B',
    { target: 'B', targetOptions: '', comment: null, probability: 0.5 },
  ],
])('%s', (text, expected) => {
  expect(ruleParts({ text })).toEqual(expected);
});
