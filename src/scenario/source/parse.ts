import { CORE_SCHEMA, Schema, YAMLException, floatCoreTag, loadAll, mergeTag } from 'js-yaml';
import type { Diagnostic } from '../diagnostic.ts';
import type { InputFile } from '../scenario.ts';
import { isList, isMapping } from './container.ts';
import { findJsonList, parseJson } from './json-list.ts';
import type { JsonList } from './json-list.ts';
import { SourceFile } from './source-file.ts';
import { SourceText } from './source.ts';

/**
 * YAML 1.2 core with merge keys, without floats: no field of a scenario is one, and `kubernetesVersion: 1.30` must stay "1.30".
 */
const SCHEMA = new Schema(CORE_SCHEMA.tags.filter((tag) => tag !== floatCoreTag)).withTags(mergeTag);

/** Values that aliases may add up to: far beyond what people write, far below what exhausts memory. */
const MAX_EXPANDED_VALUES = 1_000_000;

export type ParseResult =
  | { readonly ok: true; readonly file: SourceFile | JsonListFile }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

/** A file of one JSON list; its items are to be parsed by whoever reads them. */
export interface JsonListFile {
  readonly text: SourceText;
  readonly list: JsonList;
}

/** Text of a JSON list from this length on is parsed item by item. */
const LARGE = 1 << 16;

/**
 * Text becomes documents. JSON takes the short way through JSON.parse. Fails with the position of the syntax error, and on
 * aliases that contain themselves or add up to too much. `whole`: parse large lists at once too.
 */
export function parseSource(input: InputFile, whole: boolean): ParseResult {
  const text = input.text.startsWith('\ufeff') ? input.text.slice(1) : input.text;
  const source = new SourceText(input.name, text);
  const list = text.length >= LARGE && !whole ? findJsonList(text) : null;
  if (list !== null) return { ok: true, file: { text: source, list } };
  // YAML's flow style begins alike.
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (json !== undefined) return { ok: true, file: new SourceFile(source, [json]) };
  try {
    const documents = loadAll(text, { schema: SCHEMA });
    if (text.includes('*')) {
      const problem = aliasProblem(documents);
      if (problem !== null) return failure(input.name, 'too-many-aliases', problem, 1, 1);
    }
    return { ok: true, file: new SourceFile(source, documents) };
  } catch (error) {
    if (error instanceof YAMLException && error.mark !== undefined) {
      const { line, column } = source.lineAndColumn(error.mark.position);
      return failure(input.name, 'syntax', `Not valid YAML: ${error.reason}`, line, column);
    }
    return failure(input.name, 'syntax', `Not valid YAML: ${error instanceof Error ? error.message : String(error)}`, 1, 1);
  }
}

function failure(file: string, code: string, message: string, line: number, column: number): ParseResult {
  return { ok: false, diagnostic: { severity: 'error', code, message, position: { file, line, column } } };
}

/** What is wrong with shared values: a value inside itself, or more values than a reader should visit. */
function aliasProblem(documents: readonly unknown[]): string | null {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  let written = 0;
  const sizeOf = (value: unknown): number => {
    if (!isList(value) && !isMapping(value)) {
      written++;
      return 1;
    }
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (open.has(value)) return Number.POSITIVE_INFINITY;
    open.add(value);
    written++;
    let size = 1;
    for (const item of Object.values(value)) size += sizeOf(item);
    open.delete(value);
    sizes.set(value, size);
    return size;
  };
  const size = sizeOf(documents);
  if (size === Number.POSITIVE_INFINITY) return 'An alias contains itself';
  return size - written > MAX_EXPANDED_VALUES ? `Aliases expand to more than ${MAX_EXPANDED_VALUES} values` : null;
}
