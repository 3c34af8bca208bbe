import type { InputFile } from './scenario.ts';
import { isList, isMapping, valueAt } from './source/container.ts';
import { parseSource } from './source/parse.ts';

/**
 * The scenarios that files hold. All of them add up to one, unless two or more are scenarios by themselves: then each of those is one, and
 * the other files are added to every one of them. A scenario by itself has checks (or steps) and nodes to make them on.
 */
export function separateScenarios(files: readonly InputFile[]): readonly (readonly InputFile[])[] {
  if (files.length < 2) return [files];
  const whole = new Set(files.filter(isWhole));
  if (whole.size < 2) return [files];
  return [...whole].map((one) => files.filter((file) => file === one || !whole.has(file)));
}

function isWhole(file: InputFile): boolean {
  // A dump has no checks: it need not be parsed to find that out.
  if (!/\b(checks|steps)\b/.test(file.text)) return false;
  const parsed = parseSource(file, true);
  if (!parsed.ok || !('documents' in parsed.file)) return false;
  const documents = parsed.file.documents.filter(isMapping);
  const short = documents.filter((document) => valueAt(document, 'kind') === undefined);
  const asks = short.some((document) => 'checks' in document || 'steps' in document);
  return asks && (short.some((document) => 'nodes' in document) || documents.some(holdsNode));
}

/** A Node, or a list with one. */
function holdsNode(document: Readonly<Record<string, unknown>>): boolean {
  if (document.kind === 'Node') return true;
  const items = valueAt(document, 'items');
  return isList(items) && items.some((item) => isMapping(item) && (item.kind === 'Node' || document.kind === 'NodeList'));
}
