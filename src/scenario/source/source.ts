import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { Container, Key, Mapping } from './container.ts';
import { lineAndColumn, lineStartsOf } from './position-index.ts';

/**
 * Something parsed. Values are plain objects and arrays; a place in the text is asked for by the container that holds a value and
 * the key in it, and is looked up only when somebody reads its line: most runs never do.
 */
export interface Source {
  /** Of the file, as messages show it. */
  readonly name: string;
  /** Where a container, or the value of one of its keys, begins. */
  position(container: Container, key: Key | null): SourcePosition;
  /** Where a key of a mapping stands. */
  keyPosition(container: Container, key: Key): SourcePosition;
  /** Where the name in the metadata of a Kubernetes object stands. */
  namePosition(metadata: Mapping): SourcePosition;
}

/** The text of a file and the places of its lines. */
export class SourceText {
  /** As messages show it. */
  readonly name: string;
  readonly text: string;
  #lineStarts: readonly number[] | null = null;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  lineAndColumn(offset: number): { readonly line: number; readonly column: number } {
    this.#lineStarts ??= lineStartsOf(this.text);
    return lineAndColumn(this.#lineStarts, offset);
  }
}

/** A position whose offset is found, by parsing the text a second time, when its line or column is first read. */
export abstract class LazyPosition implements SourcePosition {
  protected abstract readonly text: SourceText;
  protected abstract offset(): number;

  get file(): string {
    return this.text.name;
  }

  get line(): number {
    return this.text.lineAndColumn(this.offset()).line;
  }

  get column(): number {
    return this.text.lineAndColumn(this.offset()).column;
  }

  toJSON(): SourcePosition {
    return { file: this.file, line: this.line, column: this.column };
  }
}
