/** Unquoted, these make a shell do more than run one command. */
const OPERATORS = new Set(['|', '&', ';', '<', '>', '(', ')', '\n']);
/** What a backslash takes its meaning from inside double quotes (POSIX shell, 2.2.3). */
const ESCAPABLE_IN_DOUBLE_QUOTES = new Set(['$', '`', '"', '\\', '\n']);

/**
 * Splits a command line into words as a POSIX shell does (2.2 Quoting, 2.3 Token Recognition): blanks separate, single and
 * double quotes and backslashes quote, a `#` at the start of a word begins a comment. Nothing is expanded.
 *
 * Null when it is not one plain command: an open quote, a backslash at the end, an unquoted operator (`|`, `;`, `>` ...), or a
 * `$` or backquote that a shell would expand.
 */
export function splitWords(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let i = 0;
  while (i < text.length) {
    const c = text.charAt(i);
    if (c === ' ' || c === '\t') {
      if (word !== null) words.push(word);
      word = null;
      i++;
    } else if (c === "'" || c === '"') {
      const quoted = c === "'" ? readSingleQuoted(text, i + 1) : readDoubleQuoted(text, i + 1);
      if (quoted === null) return null;
      word = (word ?? '') + quoted.value;
      i = quoted.end;
    } else if (c === '\\') {
      if (i + 1 >= text.length) return null;
      if (text.charAt(i + 1) !== '\n') word = (word ?? '') + text.charAt(i + 1);
      i += 2;
    } else if (c === '#' && word === null) {
      const end = text.indexOf('\n', i);
      i = end < 0 ? text.length : end;
    } else if (c === '\n' && (text.slice(i).trim() === '' || (word === null && words.length === 0))) {
      // A line break before or behind the command, as YAML's block scalars leave it.
      if (word !== null) words.push(word);
      word = null;
      i++;
    } else if (OPERATORS.has(c) || isExpansion(text, i)) {
      return null;
    } else {
      word = (word ?? '') + c;
      i++;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

interface Quoted {
  readonly value: string;
  /** Behind the closing quote. */
  readonly end: number;
}

function readSingleQuoted(text: string, start: number): Quoted | null {
  const end = text.indexOf("'", start);
  return end < 0 ? null : { value: text.slice(start, end), end: end + 1 };
}

function readDoubleQuoted(text: string, start: number): Quoted | null {
  let value = '';
  for (let i = start; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === '"') return { value, end: i + 1 };
    if (isExpansion(text, i)) return null;
    if (c === '\\' && ESCAPABLE_IN_DOUBLE_QUOTES.has(text.charAt(i + 1))) {
      i++;
      if (text.charAt(i) !== '\n') value += text.charAt(i);
    } else {
      value += c;
    }
  }
  return null;
}

/** A `$` that names nothing stands for itself. */
function isExpansion(text: string, at: number): boolean {
  return text.charAt(at) === '`' || (text.charAt(at) === '$' && /[A-Za-z0-9_{(@*#?$!-]/.test(text.charAt(at + 1)));
}
