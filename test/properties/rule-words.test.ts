import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitRuleWords } from '../../src/kernel/netfilter/iptables/words.ts';

/** As iptables-restore does it, character by character (add_param_to_argv). */
function plainly(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quoted && c === '"') quoted = false;
    else if (quoted) word += c === '\\' && i + 1 < line.length ? line[++i]! : c;
    else if (c === '"') {
      quoted = true;
      word ??= '';
    } else if (' \t\n\r'.includes(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + c;
  }
  return word === null ? words : [...words, word];
}

it('splits every line as a reader of single characters does', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '-', ' ', '\t', '\n', '"', '"', '\\', "'"), maxLength: 20 });
  fc.assert(
    fc.property(line, (text) => {
      expect(splitRuleWords(text)).toEqual(plainly(text));
    }),
    { numRuns: 3000 },
  );
});
