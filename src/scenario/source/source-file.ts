import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { Container, Key, Mapping } from './container.ts';
import { PositionIndex } from './position-index.ts';
import { LazyPosition } from './source.ts';
import type { Source, SourceText } from './source.ts';

/** A file that was parsed as a whole. */
export class SourceFile implements Source {
  readonly documents: readonly unknown[];
  readonly text: SourceText;
  #index: PositionIndex | null = null;

  constructor(text: SourceText, documents: readonly unknown[]) {
    this.text = text;
    this.documents = documents;
  }

  get name(): string {
    return this.text.name;
  }

  position(container: Container, key: Key | null): SourcePosition {
    return new FilePosition(this, container, key, false);
  }

  keyPosition(container: Container, key: Key): SourcePosition {
    return new FilePosition(this, container, key, true);
  }

  namePosition(metadata: Mapping): SourcePosition {
    return this.position(metadata, 'name');
  }

  offset(container: Container, key: Key | null, ofKey: boolean): number {
    this.#index ??= PositionIndex.build(this.text.text, this.documents);
    return this.#index.offset(container, key, ofKey);
  }
}

class FilePosition extends LazyPosition {
  readonly #source: SourceFile;
  readonly #container: Container;
  readonly #key: Key | null;
  readonly #ofKey: boolean;

  constructor(source: SourceFile, container: Container, key: Key | null, ofKey: boolean) {
    super();
    this.#source = source;
    this.#container = container;
    this.#key = key;
    this.#ofKey = ofKey;
  }

  protected get text(): SourceText {
    return this.#source.text;
  }

  protected offset(): number {
    return this.#source.offset(this.#container, this.#key, this.#ofKey);
  }
}
