import { Collector } from './collector.ts';
import { invariant } from '../support/invariant.ts';
import { readKubernetesObject, readListItem } from './objects/objects.ts';
import type { Drafts } from './drafts.ts';
import { Problems } from './reading/problems.ts';
import { Reader } from './reading/reader.ts';
import { detectNetwork } from './resolve/detected-cni.ts';
import { resolveCluster } from './resolve/resolve.ts';
import type { InputFile, ReadFile, ScenarioResult } from './scenario.ts';
import { readDocument } from './short-form/document.ts';
import { isMapping, valueAt } from './source/container.ts';
import { ListItem } from './source/list-item.ts';
import { itemsOf } from './source/json-list.ts';
import { parseSource } from './source/parse.ts';
import type { JsonListFile } from './source/parse.ts';
import { linkChecks } from './steps/link-checks.ts';
import { resolveSteps } from './steps/resolve.ts';
import { validate } from './validate/validate.ts';

/**
 * Text to scenario: documents without `kind` are the short form, others Kubernetes objects; all files add up. Whatever is wrong
 * becomes a diagnostic, all of them at once; bad input never throws.
 */
export function loadScenario(files: readonly InputFile[], options: { readonly readFile: ReadFile }): ScenarioResult {
  const { problems, out, documents } = readFiles(files, options.readFile, false) ?? readWhole(files, options.readFile);
  const { drafts, assumptions } = detectNetwork(out.drafts());
  if (problems.hasErrors) {
    alsoTellOfTheCluster(drafts, problems);
    return { ok: false, diagnostics: problems.errors() };
  }
  if (documents === 0) {
    const names = files.map((file) => file.name).join(', ');
    problems.error(
      'empty-input',
      names === '' ? 'No file is given' : `Nothing in ${names}: no scenario, no Kubernetes object`,
      null,
    );
  }
  const { cluster, pods } = resolveCluster(drafts, problems);
  validate(cluster, drafts, pods, problems);
  const steps = problems.hasErrors ? [] : resolveSteps(drafts, cluster, problems);
  const checks = problems.hasErrors ? { first: [], steps } : linkChecks(drafts.checks, steps, problems);
  if (problems.hasErrors) return { ok: false, diagnostics: problems.errors() };
  return {
    ok: true,
    scenario: {
      cluster,
      checks: checks.first,
      steps: checks.steps,
      assumptions,
      diagnostics: problems.diagnostics(),
    },
  };
}

interface Reading {
  readonly problems: Problems;
  readonly out: Collector;
  /** Documents that are not empty. */
  readonly documents: number;
}

/** Reads all files. `whole`: no list item by item. Null, which only then can be: an item turned out not to be JSON. */
function readFiles(files: readonly InputFile[], readFile: ReadFile, whole: boolean): Reading | null {
  const problems = new Problems();
  const out = new Collector(problems);
  let documents = 0;
  for (const input of files) {
    const parsed = parseSource(input, whole);
    if (!parsed.ok) {
      const { code, message, position } = parsed.diagnostic;
      problems.error(code, message, position, isTable(input.text) ? TABLE_HINT : undefined);
    } else if ('list' in parsed.file) {
      if (!readJsonList(parsed.file, problems, out)) return null;
      documents++;
    } else {
      const { file } = parsed;
      const reader = new Reader(file, problems);
      for (let i = 0; i < file.documents.length; i++) documents += readOne(reader, file.documents, i, readFile, out);
    }
  }
  return { problems, out, documents };
}

function readWhole(files: readonly InputFile[], readFile: ReadFile): Reading {
  const reading = readFiles(files, readFile, true);
  invariant(reading !== null, 'files that are parsed as a whole are read at once');
  return reading;
}

/** Parses and reads one item after the other; false as soon as one is not JSON. */
function readJsonList({ text, list }: JsonListFile, problems: Problems, out: Collector): boolean {
  const { kind, apiVersion } = list.head;
  if (typeof kind !== 'string' || !kind.endsWith('List') || typeof apiVersion !== 'string') return false;
  for (const { value, start, end } of itemsOf(text.text, list)) {
    if (!isMapping(value)) return false;
    readListItem(new Reader(new ListItem(text, start, end, value), problems), value, kind, out);
  }
  return true;
}

/**
 * What can't be about the cluster as far as it could be read. What may only follow from what could not be read (a node without an
 * address) is not told.
 */
function alsoTellOfTheCluster(drafts: Drafts, problems: Problems): void {
  const later = new Problems();
  const { cluster, pods } = resolveCluster(drafts, later);
  validate(cluster, drafts, pods, later);
  const known = new Set(['duplicate-name', 'duplicate-listener', 'duplicate-address', 'unknown-subnet']);
  const wholeText = problems.errors().every(({ code }) => code !== 'syntax' && code !== 'too-many-aliases');
  if (wholeText && drafts.nodes.length > 0) known.add('unknown-node');
  problems.addErrors(later, ({ code }) => known.has(code));
}

const TABLE_HINT = 'This is a table, as kubectl prints it for people: ask kubectl for -o yaml';

/** Begins as what kubectl prints without -o: NAME or NAMESPACE, and a further column in capitals. */
function isTable(text: string): boolean {
  return /^\s*NAME(SPACE)? {2,}[A-Z][A-Z0-9()_-]/.test(text);
}

/** Reads a document; returns how many there were: 0 for an empty one. */
function readOne(reader: Reader, documents: readonly unknown[], index: number, readFile: ReadFile, out: Collector): 0 | 1 {
  const document = documents[index];
  if (document === null || document === undefined) return 0;
  if (!isMapping(document)) {
    reader.problems.error(
      'not-a-scenario',
      'A document must be a mapping: a scenario, or a Kubernetes object',
      reader.position(documents, index),
      typeof document === 'string' && isTable(document) ? TABLE_HINT : undefined,
    );
    return 1;
  }
  const kind = valueAt(document, 'kind');
  const apiVersion = valueAt(document, 'apiVersion');
  if (kind === undefined && apiVersion === undefined) readDocument(reader, document, readFile, out);
  else readKubernetesObject(reader, document, out);
  return 1;
}
