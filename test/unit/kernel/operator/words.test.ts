import { describe, expect, test } from 'vitest';
import { splitWords } from '../../../../src/kernel/operator/words.ts';

describe('splitWords', () => {
  test.each<[string, readonly string[] | null]>([
    ['', []],
    ['  ip  route\tdel 10.0.0.0/8 ', ['ip', 'route', 'del', '10.0.0.0/8']],
    ["iptables -m comment --comment 'a  b'", ['iptables', '-m', 'comment', '--comment', 'a  b']],
    ['--comment "a \\"b\\" \\n \\\\"', ['--comment', 'a "b" \\n \\']],
    ['a\\ b c\\"d', ['a b', 'c"d']],
    [`a'b'"c"d`, ['abcd']],
    [`'' ""`, ['', '']],
    ['! -s 10.0.0.0/8', ['!', '-s', '10.0.0.0/8']],
    ['ip route # a comment', ['ip', 'route']],
    ['a#b', ['a#b']],
    ['# only a comment', []],
    ['ip \\\n route\n', ['ip', 'route']],
    ['\nip route', ['ip', 'route']],
    ['echo "a\\\nb"', ['echo', 'ab']],
    ['a $ b$', ['a', '$', 'b$']],
    ['"a;b|c"', ['a;b|c']],
    ["'$HOME'", ['$HOME']],
    ["it's", null],
    ['"open', null],
    ['end\\', null],
    ['a; b', null],
    ['a | b', null],
    ['a > f', null],
    ['a && b', null],
    ['a\nb', null],
    ['a $HOME', null],
    ['"$(date)"', null],
    ['`date`', null],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });
});
