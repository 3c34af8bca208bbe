import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import { nearest } from '../../support/nearest.ts';
import type { Container, Key, Mapping } from '../source/container.ts';
import { isList, isMapping, valueAt } from '../source/container.ts';
import type { Source } from '../source/source.ts';
import { describeValue } from './describe.ts';
import type { Problems } from './problems.ts';

/** Unknown keys of one mapping that get a hint. */
const MAX_HINTS = 20;

/**
 * Typed access to the values of one file, or of a part of it. Each method returns undefined where nothing is given, and also where something wrong is
 * given: then it has told the problem. Nothing is allocated for values that are right.
 */
export class Reader {
  readonly source: Source;
  readonly problems: Problems;

  constructor(source: Source, problems: Problems) {
    this.source = source;
    this.problems = problems;
  }

  position(container: Container, key: Key | null = null): SourcePosition {
    return this.source.position(container, key);
  }

  /** Tells that the value of a key is not what was expected ("a list", "a number from 0 to 255"). */
  wrong(container: Container, key: Key, expected: string, hint?: string): undefined {
    const name = isList(container) ? `Item ${Number(key) + 1}` : `"${key}"`;
    const message = `${name} must be ${expected}, not ${describeValue(valueAt(container, key))}`;
    this.problems.error('wrong-value', message, this.position(container, key), hint);
    return undefined;
  }

  /** Tells of every key that is not among the allowed ones; `what` names the mapping ("a pod"). */
  allowOnly(mapping: Mapping, what: string, allowed: readonly string[]): void {
    let unknown = 0;
    for (const key of Object.keys(mapping)) {
      if (allowed.includes(key)) continue;
      // Beyond the problems that are told one by one, looking for the nearest spelling is wasted.
      const like = unknown++ < MAX_HINTS ? nearest(key, allowed) : null;
      const hint = like === null ? `Known keys: ${allowed.join(', ')}` : `Did you mean "${like}"?`;
      this.problems.error('unknown-key', `Unknown key "${key}" in ${what}`, this.source.keyPosition(mapping, key), hint);
    }
  }

  /** Tells of a missing key and returns undefined, or returns the text. */
  requiredName(mapping: Mapping, key: string, what: string): string | undefined {
    const value = valueAt(mapping, key);
    if (value === undefined) {
      this.problems.error('missing-key', `${what} needs "${key}"`, this.position(mapping));
      return undefined;
    }
    const name = this.text(mapping, key);
    if (name === undefined) return undefined;
    if (!isName(name)) return this.wrong(mapping, key, 'a name without blanks, "/" and ":"');
    return name;
  }

  /** A string as it is; nothing else. */
  string(container: Container, key: Key): string | undefined {
    const value = valueAt(container, key);
    if (value === undefined || typeof value === 'string') return value;
    return this.wrong(container, key, 'text');
  }

  /** A string, or a number or boolean as text: what YAML makes of an unquoted value. */
  text(container: Container, key: Key): string | undefined {
    const value = valueAt(container, key);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return this.wrong(container, key, 'text');
  }

  integer(container: Container, key: Key, min: number, max: number): number | undefined {
    const value = valueAt(container, key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    return this.wrong(container, key, `a whole number from ${min} to ${max}`);
  }

  /** true and false, also as YAML 1.1 spells them (kubectl reads that). */
  boolean(container: Container, key: Key): boolean | undefined {
    const value = valueAt(container, key);
    if (value === undefined || typeof value === 'boolean') return value;
    if (typeof value === 'string' && /^(yes|on|true)$/i.test(value)) return true;
    if (typeof value === 'string' && /^(no|off|false)$/i.test(value)) return false;
    return this.wrong(container, key, 'true or false');
  }

  mapping(container: Container, key: Key): Mapping | undefined {
    const value = valueAt(container, key);
    if (value === undefined || isMapping(value)) return value;
    return this.wrong(container, key, 'a mapping');
  }

  list(container: Container, key: Key): readonly unknown[] | undefined {
    const value = valueAt(container, key);
    if (value === undefined || isList(value)) return value;
    return this.wrong(container, key, 'a list');
  }

  /** A list of mappings, each turned into a value; those for which `read` returns undefined are left out. */
  mappings<T>(container: Container, key: Key, read: (item: Mapping) => T | undefined): T[] | undefined {
    const list = this.list(container, key);
    if (list === undefined) return undefined;
    return onlyGiven(list.map((item, i) => (isMapping(item) ? read(item) : this.wrong(list, i, 'a mapping'))));
  }

  /** A list whose items are read one by one by their index. */
  items<T>(container: Container, key: Key, read: (list: readonly unknown[], index: number) => T | undefined): T[] | undefined {
    const list = this.list(container, key);
    if (list === undefined) return undefined;
    return onlyGiven(
      list.map((item, i) => (item === null || item === undefined ? this.wrong(list, i, 'a value') : read(list, i))),
    );
  }

  /** A list of strings, numbers taken as text. A list of strings alone is taken as it is. */
  texts(container: Container, key: Key): readonly string[] | undefined {
    const list = this.list(container, key);
    if (list === undefined || isTextList(list)) return list;
    return this.items(container, key, (items, i) => this.text(items, i));
  }

  /** A mapping of text to text; numbers and booleans become text. One of text alone is taken as it is. */
  textMap(container: Container, key: Key): Readonly<Record<string, string>> | undefined {
    const mapping = this.mapping(container, key);
    if (mapping === undefined || isTextMap(mapping)) return mapping;
    const out: Record<string, string> = {};
    for (const name of Object.keys(mapping)) {
      const text = this.text(mapping, name);
      if (text !== undefined) out[name] = text;
    }
    return out;
  }

  /** One of some words, exactly. */
  oneOf<T extends string>(container: Container, key: Key, words: readonly T[]): T | undefined {
    const value = valueAt(container, key);
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const like = typeof value === 'string' ? nearest(value, words) : null;
    return this.wrong(container, key, `one of ${words.join(', ')}`, like === null ? undefined : `Did you mean "${like}"?`);
  }
}

/** The list itself where nothing is missing: copies of thousands of short lists add up. */
function onlyGiven<T>(list: (T | undefined)[]): T[] {
  return isComplete(list) ? list : list.filter((item) => item !== undefined);
}

function isComplete<T>(list: (T | undefined)[]): list is T[] {
  return list.every((item) => item !== undefined);
}

function isTextList(list: readonly unknown[]): list is readonly string[] {
  return list.every((item) => typeof item === 'string');
}

function isTextMap(mapping: Mapping): mapping is Readonly<Record<string, string>> {
  for (const key of Object.keys(mapping)) if (typeof mapping[key] !== 'string') return false;
  return true;
}

/** Nearly all names are plain, and the tables of all control characters that the other expression needs take a millisecond to make. */
function isName(text: string): boolean {
  return /^[\w.-]{1,253}$/.test(text) || /^[^\s/:\p{Cc}\p{Cf}\p{Cs}]{1,253}$/u.test(text);
}
