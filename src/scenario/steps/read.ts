import { Collector } from '../collector.ts';
import type { StepCommandDraft, StepDraft } from '../drafts.ts';
import { readKubernetesObject } from '../objects/objects.ts';
import { parseDuration } from '../reading/duration.ts';
import type { Reader } from '../reading/reader.ts';
import type { ReadFile } from '../scenario.ts';
import { readCheck } from '../short-form/check.ts';
import { PART_KEYS, readParts } from '../short-form/parts.ts';
import type { Mapping } from '../source/container.ts';
import { isMapping, valueAt } from '../source/container.ts';
import { readDeletion } from './deletion.ts';

const KEYS: readonly string[] = ['name', 'after', 'delete', 'apply', 'objects', 'do', 'checks'];

/** An entry of `steps`. */
export function readStep(reader: Reader, item: Mapping, readFile: ReadFile): StepDraft {
  reader.allowOnly(item, 'a step', KEYS);
  const collector = new Collector(reader.problems);
  const apply = reader.mapping(item, 'apply');
  if (apply !== undefined) {
    reader.allowOnly(apply, '"apply"', PART_KEYS);
    readParts(reader, apply, readFile, collector);
  }
  readObjects(reader, item, collector);
  return {
    name: reader.text(item, 'name'),
    after: readAfter(reader, item),
    deletions: reader.items(item, 'delete', (list, i) => readDeletion(reader, list, i)) ?? [],
    changes: collector.drafts(),
    commands: reader.items(item, 'do', (list, i) => readCommand(reader, list, i)) ?? [],
    checks: reader.mappings(item, 'checks', (check) => readCheck(reader, check)) ?? [],
    position: reader.position(item),
  };
}

function readObjects(reader: Reader, item: Mapping, collector: Collector): void {
  const objects = reader.list(item, 'objects') ?? [];
  for (const [i, object] of objects.entries()) {
    if (isMapping(object)) readKubernetesObject(reader, object, collector);
    else reader.wrong(objects, i, 'a Kubernetes object');
  }
}

function readAfter(reader: Reader, item: Mapping): number {
  const value = valueAt(item, 'after');
  if (value === undefined) return 0;
  const duration = typeof value === 'string' ? parseDuration(value) : null;
  return duration ?? reader.wrong(item, 'after', 'a time such as 5s, 1m30s or 3h') ?? 0;
}

/** "HOST: COMMAND", as `--do` takes it. */
function readCommand(reader: Reader, list: readonly unknown[], index: number): StepCommandDraft | undefined {
  const text = reader.string(list, index);
  if (text === undefined) return undefined;
  const [, host, command] = /^\s*([^\s:]+)\s*:\s*(\S.*)$/s.exec(text) ?? [];
  if (host === undefined || command === undefined) {
    return reader.wrong(list, index, "'HOST: COMMAND'", "Such as 'node-1: ip route del 10.244.1.0/24'");
  }
  return { host, line: { text: command.trim(), position: reader.position(list, index) } };
}
