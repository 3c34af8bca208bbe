import type { SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Problems } from './reading/problems.ts';

/** Where an entry comes from: a Kubernetes object, or the short form. */
export type Form = 'object' | 'short';

/**
 * Entries by namespace and name, in the order in which a name first came. A short-form entry with the name of an object adds to
 * it: what it gives wins, text maps are joined. Two of one form are an error, unless two objects say the same.
 */
export class NamedList<T extends { readonly position: SourcePosition }> {
  readonly #describe: (value: T) => string;
  readonly #problems: Problems;
  readonly #values: T[] = [];
  /** Index of a name in #values, by namespace: a dump may hold a hundred thousand, so no keys are put together. */
  readonly #indexes = new Map<string, Map<string, number>>();
  /** Entries that the short form has a part in. */
  readonly #short = new Set<number>();
  /** Entries that are of both forms. */
  readonly #both = new Set<number>();

  /** `describe` names an entry in messages: "Pod default/web". */
  constructor(describe: (value: T) => string, problems: Problems) {
    this.#describe = describe;
    this.#problems = problems;
  }

  add(form: Form, namespace: string, name: string, value: T): void {
    const names = this.#indexes.get(namespace) ?? new Map<string, number>();
    this.#indexes.set(namespace, names);
    const index = names.get(name) ?? this.#values.length;
    const before = this.#values[index];
    if (before === undefined) {
      names.set(name, index);
      this.#values.push(value);
      if (form === 'short') this.#short.add(index);
    } else if (this.#both.has(index) || this.#short.has(index) === (form === 'short')) {
      this.#tellTwice(form, before, value);
    } else {
      this.#both.add(index);
      this.#values[index] = form === 'short' ? overlay(before, value) : overlay(value, before);
    }
  }

  values(): readonly T[] {
    return this.#values;
  }

  #tellTwice(form: Form, before: T, value: T): void {
    if (form === 'object' && sayTheSame(before, value)) return;
    const first = before.position;
    const hint = `The first is at ${first.file}:${first.line}:${first.column}`;
    this.#problems.error('duplicate-name', `${this.#describe(value)} is given twice`, value.position, hint);
  }
}

/** `object` with what `short` gives; text maps are joined. */
export function overlay<T extends object>(object: T, short: T): T {
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
