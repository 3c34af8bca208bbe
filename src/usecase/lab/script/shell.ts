/** Characters that mean nothing to a shell wherever they stand in a word. */
const PLAIN = /^[\w.,:/=+@%^-]+$/;

/** A word as a POSIX shell reads it back. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command that reads `text` from its standard input. The closing word is one that does not occur in the text. */
export function hereDocument(command: string, text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'END';
  for (let n = 2; lines.has(end); n++) end = `END${n}`;
  return `${command} <<'${end}'\n${text.replace(/\n?$/, '\n')}${end}\n`;
}

/** A line of explanation; what would end the comment is taken out. */
export function comment(text: string): string {
  return `# ${text.replace(/[\r\n]+/g, ' ')}\n`;
}
