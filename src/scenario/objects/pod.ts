import { familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { PodDraft, PortDraft } from '../drafts.ts';
import { parseIpSloppy } from '../reading/addresses.ts';
import { MAX_PORT, readPort, readTransport } from '../reading/common.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isList, isMapping, valueAt } from '../source/container.ts';
import { readMetadata, readOwner, section } from './metadata.ts';

/** A core/v1 Pod. Undefined also for pods that have ended (they hold no address) and, with a warning, that nobody could schedule. */
export function readPod(reader: Reader, object: Mapping): PodDraft | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const spec = section(reader, object, 'spec');
  const status = section(reader, object, 'status');
  const phase = valueAt(status, 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  const node = reader.string(spec, 'nodeName');
  const position = reader.position(metadata.raw, 'name');
  if (node === undefined && phase === 'Pending') {
    const message = `Pod ${metadata.namespace}/${metadata.name} is on no node yet (Pending); it is left out`;
    reader.problems.warning('pending-pod', message, position);
    return undefined;
  }
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    position,
    node,
    placeable: true,
    addresses: readAddresses(reader, status),
    labels: reader.textMap(metadata.raw, 'labels'),
    ready: isReady(status),
    terminating: valueAt(metadata.raw, 'deletionTimestamp') !== undefined,
    owner: readOwner(metadata.raw),
    ...readPodSpec(reader, spec),
  };
}

/** The part of a PodSpec that a template has too. */
export function readPodSpec(reader: Reader, spec: Mapping): Pick<PodDraft, 'hostNetwork' | 'ports'> {
  const hostNetwork = reader.boolean(spec, 'hostNetwork');
  const containers = (reader.list(spec, 'containers') ?? []).filter(isMapping);
  // Only sidecars stay (KEP-753): init containers with restartPolicy Always.
  const sidecars = (reader.list(spec, 'initContainers') ?? []).filter(isMapping).filter((c) => c.restartPolicy === 'Always');
  const lists = [...containers, ...sidecars].map((container, process) =>
    reader.mappings(container, 'ports', (item) => readContainerPort(reader, item, hostNetwork === true, process)),
  );
  const ports = lists.length === 1 ? lists[0] : lists.flatMap((list) => list ?? []);
  return { hostNetwork, ports: ports?.length === 0 ? undefined : ports };
}

function readContainerPort(reader: Reader, item: Mapping, hostNetwork: boolean, process: number): PortDraft | undefined {
  const port = readPort(reader, item, 'containerPort');
  if (port === undefined) return undefined;
  const hostPort = reader.integer(item, 'hostPort', 0, MAX_PORT) ?? 0;
  const hostIp = reader.string(item, 'hostIP') ?? '';
  return {
    name: reader.text(item, 'name') ?? '',
    port,
    protocol: readTransport(reader, item, 'protocol'),
    // With hostNetwork the API server fills in hostPort; no portmap rule comes of it.
    hostPort: hostPort === 0 || hostNetwork ? null : hostPort,
    hostIp: hostIp === '' ? null : parseIpSloppy(hostIp),
    listens: true,
    process,
    position: null,
  };
}

/** The Ready condition; a manifest that has no status is taken for a pod that came up. */
function isReady(status: Mapping): boolean {
  const conditions = valueAt(status, 'conditions');
  if (!isList(conditions)) return true;
  return conditions.some((c) => isMapping(c) && c.type === 'Ready' && c.status === 'True');
}

function readAddresses(reader: Reader, status: Mapping): readonly IpAddress[] | undefined {
  const list = (reader.list(status, 'podIPs') ?? []).filter(isMapping).map((item) => item.ip);
  const texts = list.length > 0 ? list : [valueAt(status, 'podIP') ?? ''];
  if (texts.length === 1 && texts[0] === '') return undefined;
  const addresses = texts.map((text) => (typeof text === 'string' ? parseIpSloppy(text) : null));
  if (addresses.some((address) => address === null)) return reader.wrong(status, 'podIP', 'an IP address');
  const given = addresses.filter((address) => address !== null);
  return given.length === 1 ? given : given.filter((a, i) => given.findIndex((b) => familyOf(a) === familyOf(b)) === i);
}
