import type { Endpoint, EndpointSlice } from '../../kubernetes/model/cluster.ts';
import type { SliceDraft } from '../drafts.ts';
import { MAX_PORT, readTransport } from '../reading/common.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isList, isMapping, valueAt } from '../source/container.ts';
import { readMetadata } from './metadata.ts';

const NO_STRINGS: readonly string[] = [];
const NO_HOSTNAME: Pick<Endpoint, 'hostname'> = {};

/**
 * A discovery.k8s.io/v1 EndpointSlice. Unset conditions count as kube-proxy takes them: ready and serving unless false, terminating
 * only if true. Undefined for a slice that names no service: nobody reads it.
 */
export function readEndpointSlice(reader: Reader, object: Mapping): SliceDraft | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const labels = reader.mapping(metadata.raw, 'labels');
  const service = labels === undefined ? undefined : reader.text(labels, 'kubernetes.io/service-name');
  const addressType = reader.oneOf(object, 'addressType', ['IPv4', 'IPv6', 'FQDN']);
  if (service === undefined || addressType === undefined) return undefined;
  const slice: EndpointSlice = {
    namespace: metadata.namespace,
    name: metadata.name,
    service,
    addressType,
    ports: reader.mappings(object, 'ports', (item) => readSlicePort(reader, item)) ?? [],
    endpoints: reader.mappings(object, 'endpoints', (item) => readEndpoint(reader, item, metadata.namespace)) ?? [],
    derived: false,
  };
  return { slice, position: reader.source.namePosition(metadata.raw) };
}

function readSlicePort(reader: Reader, item: Mapping): EndpointSlice['ports'][number] {
  const port = reader.integer(item, 'port', 0, MAX_PORT) ?? 0;
  return {
    name: reader.text(item, 'name') ?? '',
    protocol: readTransport(reader, item, 'protocol'),
    port: port === 0 ? null : port,
  };
}

function readEndpoint(reader: Reader, item: Mapping, namespace: string): Endpoint | undefined {
  const addresses = reader.texts(item, 'addresses');
  if (addresses === undefined || addresses.length === 0) return undefined;
  const conditions = reader.mapping(item, 'conditions');
  const hints = reader.mapping(item, 'hints');
  return {
    addresses,
    ready: conditions === undefined || valueAt(conditions, 'ready') !== false,
    serving: conditions === undefined || valueAt(conditions, 'serving') !== false,
    terminating: conditions !== undefined && valueAt(conditions, 'terminating') === true,
    nodeName: reader.string(item, 'nodeName') ?? null,
    ...readHostname(reader, item),
    pod: targetPod(reader, item, namespace),
    hintZones: hints === undefined ? NO_STRINGS : namesOf(hints, 'forZones'),
    hintNodes: hints === undefined ? NO_STRINGS : namesOf(hints, 'forNodes'),
  };
}

/** The `hostname` of an endpoint, where it has one. */
export function readHostname(reader: Reader, item: Mapping): Pick<Endpoint, 'hostname'> {
  const hostname = reader.string(item, 'hostname');
  return hostname === undefined || hostname === '' ? NO_HOSTNAME : { hostname };
}

/** "namespace/name" of targetRef, if it is a pod. */
export function targetPod(reader: Reader, item: Mapping, namespace: string): string | null {
  const ref = reader.mapping(item, 'targetRef');
  if (ref === undefined || valueAt(ref, 'kind') !== 'Pod') return null;
  const name = reader.string(ref, 'name');
  return name === undefined ? null : `${reader.string(ref, 'namespace') ?? namespace}/${name}`;
}

function namesOf(hints: Mapping, key: string): readonly string[] {
  const list = valueAt(hints, key);
  if (!isList(list)) return NO_STRINGS;
  return list.filter(isMapping).flatMap((item) => (typeof item.name === 'string' ? [item.name] : []));
}
