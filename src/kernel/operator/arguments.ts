import { refuse } from './failure.ts';

/** The words of a command line, taken one after the other. */
export class Arguments {
  readonly #words: readonly string[];
  #at = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get done(): boolean {
    return this.#at >= this.#words.length;
  }

  /** The next word without taking it; undefined at the end. */
  peek(): string | undefined {
    return this.#words[this.#at];
  }

  /** Takes the next word; refuses as iproute2 does when there is none. */
  next(): string {
    const word = this.#words[this.#at];
    if (word === undefined) refuse('Command line is not complete. Try option "help"');
    this.#at++;
    return word;
  }

  /** Takes the next word if it is one of these. */
  take(...words: readonly string[]): boolean {
    const word = this.peek();
    if (word === undefined || !words.includes(word)) return false;
    this.#at++;
    return true;
  }
}

/** Values of the `ip` program's words. Numbers may be decimal, octal (0...) or hexadecimal (0x...) as strtoul reads them. */
export function parseNumber(text: string): number | null {
  if (!/^(0x[0-9a-f]+|[0-9]+)$/i.test(text)) return null;
  const value = /^0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number(text);
  return value <= 0xffffffff ? value : null;
}

/** A number for an option, or iproute2's complaint: `Error: argument "foo" is wrong: Invalid "mtu" value`. */
export function numberFor(text: string, complaint: string): number {
  return parseNumber(text) ?? wrong(text, complaint);
}

/** iproute2's invarg(). */
export function wrong(text: string, complaint: string): never {
  return refuse(`Error: argument "${text}" is wrong: ${complaint}`);
}

/** iproute2 takes any beginning of a command's name; the first in `names` that it begins wins. */
export function matchCommand<T extends string>(word: string, names: readonly T[]): T | undefined {
  return word === '' ? undefined : names.find((name) => name.startsWith(word));
}
