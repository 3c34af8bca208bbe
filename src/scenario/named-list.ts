import type { SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Problems } from './reading/problems.ts';

interface Entry<T> {
  value: T;
  readonly forms: Set<'object' | 'short'>;
}

/**
 * Entries by name, in the order in which a name first came. A short-form entry with the name of an object adds to it: what it
 * gives wins, text maps are joined, command lists appended. Two of one form are an error, unless two objects say the same.
 */
export class NamedList<T extends { readonly position: SourcePosition }> {
  readonly #kind: string;
  readonly #problems: Problems;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(kind: string, problems: Problems) {
    this.#kind = kind;
    this.#problems = problems;
  }

  add(form: 'object' | 'short', name: string, value: T): void {
    const before = this.#entries.get(name);
    if (before === undefined) {
      this.#entries.set(name, { value, forms: new Set([form]) });
      return;
    }
    if (before.forms.has(form)) {
      if (form === 'object' && sayTheSame(before.value, value)) return;
      const first = before.value.position;
      const message = `${this.#kind} ${name} is given twice`;
      this.#problems.error('duplicate-name', message, value.position, `The first is at ${first.file}:${first.line}:${first.column}`);
      return;
    }
    before.forms.add(form);
    before.value = form === 'short' ? overlay(before.value, value) : overlay(value, before.value);
  }

  values(): readonly T[] {
    return [...this.#entries.values()].map((entry) => entry.value);
  }
}

/** `object` with what `short` gives. */
function overlay<T extends object>(object: T, short: T): T {
  const out = { ...object };
  for (const key of Object.keys(short) as (keyof T)[]) {
    const given = short[key];
    if (given === undefined) continue;
    out[key] = JOINED.has(String(key)) ? Object.assign({}, object[key], given) : given;
  }
  return out;
}

const JOINED: ReadonlySet<string> = new Set(['labels', 'annotations', 'sysctls']);

/** Equal but for their places in the text. */
function sayTheSame(a: object, b: object): boolean {
  const text = (value: object): string =>
    JSON.stringify(value, (key, v: unknown) => (/position$/i.test(key) ? undefined : typeof v === 'bigint' ? String(v) : v));
  return text(a) === text(b);
}
