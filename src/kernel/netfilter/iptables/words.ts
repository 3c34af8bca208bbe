/**
 * Splits a line of iptables-save as iptables-restore does (add_param_to_argv): blanks separate, double quotes hold words together,
 * a backslash inside quotes takes the next character literally.
 */
export function splitRuleWords(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let inWord = false;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quoted) {
      if (c === '\\' && i + 1 < line.length) word += line[++i]!;
      else if (c === '"') quoted = false;
      else word += c;
    } else if (c === '"') {
      quoted = true;
      inWord = true;
    } else if (c === ' ' || c === '\t' || c === '\n' || c === '\r') {
      if (inWord) words.push(word);
      word = '';
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord) words.push(word);
  return words;
}

/** Quotes a value where xtables_save_string does: anything but letters, digits, "_" and "-". */
export function quoteValue(value: string): string {
  return /^[\w-]+$/.test(value) ? value : `"${value.replaceAll(/["\\']/g, '\\$&')}"`;
}

/** Puts words back into a line, quoted only where they would not survive otherwise. */
export function joinRuleWords(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`)).join(' ');
}
