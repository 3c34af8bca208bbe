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
  const addresses = readAddresses(reader, status);
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    position,
    node,
    nodePosition: node === undefined ? undefined : reader.position(spec, 'nodeName'),
    placeable: true,
    addresses: addresses.length === 0 ? undefined : addresses,
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
  const ports: PortDraft[] = [];
  let process = 0;
  for (const container of reader.list(spec, 'containers') ?? []) readContainer(reader, container, hostNetwork === true, process++, ports);
  for (const container of reader.list(spec, 'initContainers') ?? []) {
    // Only sidecars stay (KEP-753): init containers with restartPolicy Always.
    if (isMapping(container) && container.restartPolicy === 'Always') readContainer(reader, container, hostNetwork === true, process++, ports);
  }
  return { hostNetwork, ports: ports.length === 0 ? undefined : ports };
}

function readContainer(reader: Reader, container: unknown, hostNetwork: boolean, process: number, ports: PortDraft[]): void {
  if (!isMapping(container)) return;
  for (const port of reader.mappings(container, 'ports', (item) => readContainerPort(reader, item, hostNetwork, process)) ?? []) ports.push(port);
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
    position: reader.position(item),
  };
}

/** The Ready condition; a manifest that has no status is taken for a pod that came up. */
function isReady(status: Mapping): boolean {
  const conditions = valueAt(status, 'conditions');
  if (!isList(conditions)) return true;
  return conditions.some((c) => isMapping(c) && c.type === 'Ready' && c.status === 'True');
}

function readAddresses(reader: Reader, status: Mapping): readonly IpAddress[] {
  const texts: string[] = [];
  for (const item of reader.list(status, 'podIPs') ?? []) if (isMapping(item) && typeof item.ip === 'string') texts.push(item.ip);
  const single = reader.string(status, 'podIP');
  if (texts.length === 0 && single !== undefined && single !== '') texts.push(single);
  const addresses: IpAddress[] = [];
  for (const text of texts) {
    const address = parseIpSloppy(text);
    if (address === null) reader.wrong(status, 'podIP', 'an IP address');
    else if (!addresses.some((a) => familyOf(a) === familyOf(address))) addresses.push(address);
  }
  return addresses;
}
