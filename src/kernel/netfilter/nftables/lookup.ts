import { fitsPattern, isExact } from './pattern.ts';
import type { NftDatum } from './selector.ts';
import type { NftElement, NftSet } from './ruleset.ts';

/** Elements by whole keys, and those that stand for more than one key. */
interface Index {
  readonly exact: ReadonlyMap<string, NftElement>;
  readonly patterns: readonly { readonly parts: readonly string[]; readonly element: NftElement }[];
}

const indexes = new WeakMap<readonly NftElement[], Index>();

/** A key as nft prints it: "10.96.0.10 . tcp . 53". */
export function keyText(key: readonly NftDatum[]): string {
  return key.length === 1 ? key[0]!.text : key.map(({ text }) => text).join(' . ');
}

/** The element of a named set that a key falls into. */
export function findInSet(set: NftSet, key: readonly NftDatum[]): NftElement | null {
  return set.find ? (set.find(keyText(key)) ?? null) : findElement(set.elements(), key);
}

/** The element that a key falls into: by its text, else by the first interval or wildcard that fits. */
export function findElement(elements: readonly NftElement[], key: readonly NftDatum[]): NftElement | null {
  const index = indexFor(elements);
  const exact = index.exact.get(keyText(key)) ?? flagElement(index, key);
  if (exact !== undefined) return exact;
  return (
    index.patterns.find(({ parts }) => parts.every((part, i) => key[i] !== undefined && fitsPattern(key[i]!, part)))?.element ??
    null
  );
}

function indexFor(elements: readonly NftElement[]): Index {
  const known = indexes.get(elements);
  if (known !== undefined) return known;
  const index = makeIndex(elements);
  indexes.set(elements, index);
  return index;
}

function makeIndex(elements: readonly NftElement[]): Index {
  const exact = new Map<string, NftElement>();
  const patterns: { parts: readonly string[]; element: NftElement }[] = [];
  for (const element of elements) {
    const parts = element.key.split(' . ');
    if (parts.every(isExact)) exact.set(element.key, element);
    else patterns.push({ parts, element });
  }
  return { exact, patterns };
}

/** A field of bits is in a set of its bits' names when it is exactly one of them. */
function flagElement(index: Index, [datum, more]: readonly NftDatum[]): NftElement | undefined {
  return datum?.flags?.length === 1 && more === undefined ? index.exact.get(datum.flags[0]!) : undefined;
}
