import type { Endpoint, EndpointSlice } from '../../kubernetes/model/cluster.ts';
import { familyOf } from '../../net/ip.ts';
import type { SliceDraft } from '../drafts.ts';
import { parseIpSloppy } from '../reading/addresses.ts';
import { MAX_PORT, readTransport } from '../reading/common.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { readMetadata } from './metadata.ts';
import { readHostname, targetPod } from './endpoint-slice.ts';

/** A core/v1 Endpoints, as the slices that the EndpointSliceMirroring controller makes of it: one a subset and family. */
export function readEndpoints(reader: Reader, object: Mapping): readonly SliceDraft[] {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return [];
  const { namespace, name } = metadata;
  const position = reader.source.namePosition(metadata.raw);
  const drafts: SliceDraft[] = [];
  const subsets = reader.mappings(object, 'subsets', (subset) => readSubset(reader, subset, namespace)) ?? [];
  for (const { ports, endpoints } of subsets) {
    for (const family of [4, 6] as const) {
      const mine = endpoints.filter((e) => isOfFamily(e, family));
      if (mine.length === 0) continue;
      const addressType = family === 4 ? 'IPv4' : 'IPv6';
      const slice: EndpointSlice = { namespace, name, service: name, addressType, ports, endpoints: mine, derived: false };
      drafts.push({ slice, position });
    }
  }
  // An Endpoints without addresses still says that the service has none.
  if (drafts.length === 0) {
    drafts.push({
      slice: { namespace, name, service: name, addressType: 'IPv4', ports: [], endpoints: [], derived: false },
      position,
    });
  }
  return drafts;
}

function readSubset(reader: Reader, subset: Mapping, namespace: string): Pick<EndpointSlice, 'ports' | 'endpoints'> {
  const read = (key: string, ready: boolean): Endpoint[] =>
    reader.mappings(subset, key, (item) => readAddress(reader, item, namespace, ready)) ?? [];
  const ports = reader.mappings(subset, 'ports', (item) => ({
    name: reader.text(item, 'name') ?? '',
    protocol: readTransport(reader, item, 'protocol'),
    port: reader.integer(item, 'port', 1, MAX_PORT) ?? null,
  }));
  return { ports: ports ?? [], endpoints: [...read('addresses', true), ...read('notReadyAddresses', false)] };
}

function readAddress(reader: Reader, item: Mapping, namespace: string, ready: boolean): Endpoint | undefined {
  const ip = reader.string(item, 'ip');
  if (ip === undefined) return undefined;
  const nodeName = reader.string(item, 'nodeName') ?? null;
  const pod = targetPod(reader, item, namespace);
  const hostname = readHostname(reader, item);
  return { addresses: [ip], ready, serving: ready, terminating: false, nodeName, ...hostname, pod, hintZones: [], hintNodes: [] };
}

function isOfFamily(endpoint: Endpoint, family: 4 | 6): boolean {
  const address = parseIpSloppy(endpoint.addresses[0] ?? '');
  return address !== null && familyOf(address) === family;
}
