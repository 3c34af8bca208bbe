/**
 * Splits a line of iptables-save as iptables-restore does (add_param_to_argv): blanks separate, double quotes hold words together,
 * a backslash inside quotes takes the next character literally.
 */
export function splitRuleWords(line: string): string[] {
  const words: string[] = line.match(WORDS) ?? [];
  if (!line.includes('"')) return words;
  return words.map((word) => (word.includes('"') ? word.replace(QUOTED, unquoted) : word));
}

/** Runs of other characters and quoted parts, in one word as long as no blank is between them. The last quote may be left open. */
const WORDS = /(?:[^ \t\n\r"]+|"(?:[^"\\]+|\\[\s\S])*(?:"|\\?$))+/g;
const QUOTED = /"((?:[^"\\]+|\\[\s\S])*)(?:"|(\\?)$)/g;

function unquoted(_: string, inside: string, last = ''): string {
  return inside.replace(/\\([\s\S])/g, '$1') + last;
}

/** Quotes a value where xtables_save_string does: anything but letters, digits, "_" and "-". */
export function quoteValue(value: string): string {
  return /^[\w-]+$/.test(value) ? value : `"${value.replaceAll(/["\\']/g, '\\$&')}"`;
}

/** Puts words back into a line, quoted only where they would not survive otherwise. */
export function joinRuleWords(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`)).join(' ');
}
