import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { Container, Key } from './container.ts';
import { PositionIndex } from './position-index.ts';

/**
 * One parsed file. Values are plain objects and arrays; a place in the text is asked for by the container that holds a value and
 * the key in it, and is looked up only when somebody reads its line: most runs never do.
 */
export class SourceFile {
  readonly name: string;
  readonly documents: readonly unknown[];
  readonly #text: string;
  #index: PositionIndex | null = null;

  constructor(name: string, text: string, documents: readonly unknown[]) {
    this.name = name;
    this.#text = text;
    this.documents = documents;
  }

  /** Where a container, or the value of one of its keys, begins. */
  position(container: Container, key: Key | null = null): SourcePosition {
    return new LazyPosition(this, container, key, false);
  }

  /** Where a key of a mapping stands. */
  keyPosition(container: Container, key: Key): SourcePosition {
    return new LazyPosition(this, container, key, true);
  }

  get index(): PositionIndex {
    this.#index ??= PositionIndex.build(this.#text, this.documents);
    return this.#index;
  }
}

/** A position that parses the text a second time when its line or column is first read. */
class LazyPosition implements SourcePosition {
  readonly #source: SourceFile;
  readonly #container: Container;
  readonly #key: Key | null;
  readonly #ofKey: boolean;

  constructor(source: SourceFile, container: Container, key: Key | null, ofKey: boolean) {
    this.#source = source;
    this.#container = container;
    this.#key = key;
    this.#ofKey = ofKey;
  }

  get file(): string {
    return this.#source.name;
  }

  get line(): number {
    return this.#source.index.find(this.#container, this.#key, this.#ofKey).line;
  }

  get column(): number {
    return this.#source.index.find(this.#container, this.#key, this.#ofKey).column;
  }

  toJSON(): SourcePosition {
    return { file: this.file, line: this.line, column: this.column };
  }
}
