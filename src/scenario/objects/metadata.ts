import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isList, isMapping, valueAt } from '../source/container.ts';

export interface Metadata {
  readonly raw: Mapping;
  readonly name: string;
  readonly namespace: string;
}

const NOTHING: Mapping = {};

/** metadata.name and metadata.namespace ("default" when not given); undefined, with the problem told, without a name. */
export function readMetadata(reader: Reader, object: Mapping): Metadata | undefined {
  const raw = reader.mapping(object, 'metadata');
  const name = raw === undefined ? undefined : reader.text(raw, 'name');
  if (raw === undefined || name === undefined) {
    const message = `${String(valueAt(object, 'kind'))} without metadata.name`;
    reader.problems.error('missing-key', message, reader.position(raw ?? object));
    return undefined;
  }
  return { raw, name, namespace: reader.text(raw, 'namespace') ?? 'default' };
}

/** A mapping that may be missing: an empty one then. */
export function section(reader: Reader, object: Mapping, key: string): Mapping {
  return reader.mapping(object, key) ?? NOTHING;
}

/** The controller among metadata.ownerReferences, or the first owner. */
export function readOwner(metadata: Mapping): { readonly kind: string; readonly name: string } | undefined {
  const references = valueAt(metadata, 'ownerReferences');
  if (!isList(references)) return undefined;
  const owners = references.filter(isMapping);
  const owner = owners.find((o) => o.controller === true) ?? owners[0];
  const kind = owner?.kind;
  const name = owner?.name;
  return typeof kind === 'string' && typeof name === 'string' ? { kind, name } : undefined;
}
