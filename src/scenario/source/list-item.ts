import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { Container, Key } from './container.ts';
import { isList, isMapping, valueAt } from './container.ts';
import { PositionIndex } from './position-index.ts';
import { LazyPosition } from './source.ts';
import type { Source, SourceText } from './source.ts';

/** An item of a list that is parsed item by item. Its positions keep offsets and paths, so that the item itself can go. */
export class ListItem implements Source {
  readonly #text: SourceText;
  readonly #start: number;
  readonly #end: number;
  readonly #item: Container;

  /** `item` is what the text from `start` to `end` was parsed to. */
  constructor(text: SourceText, start: number, end: number, item: Container) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.#item = item;
  }

  get name(): string {
    return this.#text.name;
  }

  position(container: Container, key: Key | null): SourcePosition {
    return new ItemPosition(this.#text, this.#start, this.#end, pathTo(this.#item, container), key, false);
  }

  keyPosition(container: Container, key: Key): SourcePosition {
    return new ItemPosition(this.#text, this.#start, this.#end, pathTo(this.#item, container), key, true);
  }

  namePosition(): SourcePosition {
    return new ItemPosition(this.#text, this.#start, this.#end, METADATA, 'name', false);
  }
}

type Path = readonly Key[];

const METADATA: Path = ['metadata'];

class ItemPosition extends LazyPosition {
  protected readonly text: SourceText;
  readonly #start: number;
  readonly #end: number;
  /** Of the container; null for one that is not in the text. */
  readonly #path: Path | null;
  readonly #key: Key | null;
  readonly #ofKey: boolean;

  constructor(text: SourceText, start: number, end: number, path: Path | null, key: Key | null, ofKey: boolean) {
    super();
    this.text = text;
    this.#start = start;
    this.#end = end;
    this.#path = path;
    this.#key = key;
    this.#ofKey = ofKey;
  }

  protected offset(): number {
    const text = this.text.text.slice(this.#start, this.#end);
    const item: unknown = JSON.parse(text);
    const container = this.#path?.reduce((value: unknown, key) => (isContainer(value) ? valueAt(value, key) : undefined), item);
    return isContainer(container) ? this.#start + PositionIndex.build(text, [item]).offset(container, this.#key, this.#ofKey) : 0;
  }
}

function isContainer(value: unknown): value is Container {
  return isMapping(value) || isList(value);
}

/** The keys that lead from a value to a container inside it; null when it is not there. */
function pathTo(value: Container, wanted: Container): Path | null {
  if (value === wanted) return [];
  const keys: readonly Key[] = isList(value) ? [...value.keys()] : Object.keys(value);
  for (const key of keys) {
    const inner = valueAt(value, key);
    const path = isContainer(inner) ? pathTo(inner, wanted) : null;
    if (path !== null) return [key, ...path];
  }
  return null;
}
