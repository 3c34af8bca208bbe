import { familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { LeftOutPod } from '../../kubernetes/model/cluster.ts';
import type { PodDraft, PortDraft } from '../drafts.ts';
import { parseIpSloppy, readHostIp } from '../reading/addresses.ts';
import { MAX_PORT, readPort, readTransport } from '../reading/common.ts';
import { readPodDns } from '../reading/dns.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isList, isMapping, valueAt } from '../source/container.ts';
import { readMetadata, readOwner, section } from './metadata.ts';

/**
 * A core/v1 Pod. Left out, and why: pods that have ended and hold no address any more, and those that have none yet; with a warning those
 * that nobody could schedule.
 */
export function readPod(reader: Reader, object: Mapping): PodDraft | LeftOutPod | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const spec = section(reader, object, 'spec');
  const status = section(reader, object, 'status');
  const phase = valueAt(status, 'phase');
  const leftOut = (why: string): LeftOutPod => ({ namespace: metadata.namespace, name: metadata.name, why });
  if (phase === 'Succeeded' || phase === 'Failed') return leftOut(`it has ended (phase ${phase}) and holds no address`);
  const node = reader.string(spec, 'nodeName');
  const position = reader.source.namePosition(metadata.raw);
  if (node === undefined && phase === 'Pending') {
    const message = `Pod ${metadata.namespace}/${metadata.name} is on no node yet (Pending); it is left out`;
    reader.problems.warning('pending-pod', message, position);
    return leftOut('it is on no node yet (phase Pending)');
  }
  const addresses = readAddresses(reader, status);
  const hostNetwork = reader.boolean(spec, 'hostNetwork');
  if (phase === 'Pending' && addresses === undefined && hostNetwork !== true)
    return leftOut('it has no address yet (phase Pending: its containers have not started)');
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    position,
    node,
    placeable: true,
    addresses,
    labels: reader.textMap(metadata.raw, 'labels'),
    ready: isReady(status),
    terminating: valueAt(metadata.raw, 'deletionTimestamp') !== undefined,
    owner: readOwner(metadata.raw),
    hostNetwork,
    ports: readPodPorts(reader, spec),
    containers: readContainerNames(spec),
    dns: readPodDns(reader, spec, 'lenient'),
  };
}

/** What the containers of a PodSpec or of a template listen on; undefined when they declare nothing. */
export function readPodPorts(reader: Reader, spec: Mapping): readonly PortDraft[] | undefined {
  const containers = reader.list(spec, 'containers') ?? [];
  const initContainers = reader.list(spec, 'initContainers');
  const only = containers[0];
  const ports =
    containers.length === 1 && initContainers === undefined
      ? readContainerPorts(reader, only, 0)
      : [...containers, ...(initContainers ?? []).filter(isSidecar)].flatMap(
          (container, process) => readContainerPorts(reader, container, process) ?? [],
        );
  return ports?.length === 0 ? undefined : ports;
}

/** The names of the containers of a PodSpec or of a template that stay; undefined when it has none. */
export function readContainerNames(spec: Mapping): readonly string[] | undefined {
  const containers = valueAt(spec, 'containers');
  if (isList(containers) && containers.length === 1 && valueAt(spec, 'initContainers') === undefined) {
    const only = containers[0];
    return isMapping(only) && typeof only.name === 'string' ? [only.name] : undefined;
  }
  const listed = (key: string): readonly unknown[] => {
    const list = valueAt(spec, key);
    return isList(list) ? list : [];
  };
  const names = [...listed('containers'), ...listed('initContainers').filter(isSidecar)].flatMap((container) =>
    isMapping(container) && typeof container.name === 'string' ? [container.name] : [],
  );
  return names.length === 0 ? undefined : names;
}

/** Of init containers only sidecars stay (KEP-753). */
function isSidecar(container: unknown): boolean {
  return isMapping(container) && container.restartPolicy === 'Always';
}

function readContainerPorts(reader: Reader, container: unknown, process: number): readonly PortDraft[] | undefined {
  return isMapping(container)
    ? reader.mappings(container, 'ports', (item) => readContainerPort(reader, item, process))
    : undefined;
}

function readContainerPort(reader: Reader, item: Mapping, process: number): PortDraft | undefined {
  const port = readPort(reader, item, 'containerPort');
  if (port === undefined) return undefined;
  const hostPort = reader.integer(item, 'hostPort', 0, MAX_PORT) ?? 0;
  return {
    name: reader.text(item, 'name') ?? '',
    port,
    protocol: readTransport(reader, item, 'protocol'),
    hostPort: hostPort === 0 ? null : hostPort,
    hostIp: readHostIp(reader, item) ?? null,
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
  const list = reader.list(status, 'podIPs') ?? [];
  const texts = list.length > 0 ? list.map((item) => (isMapping(item) ? item.ip : item)) : [valueAt(status, 'podIP') ?? ''];
  if (texts.length === 1 && texts[0] === '') return undefined;
  const addresses: IpAddress[] = [];
  for (const text of texts) {
    const address = typeof text === 'string' ? parseIpSloppy(text) : null;
    if (address === null) return reader.wrong(status, 'podIP', 'an IP address');
    if (!addresses.some((a) => familyOf(a) === familyOf(address))) addresses.push(address);
  }
  // Grown lists have room to spare, which adds up over all pods.
  return addresses.slice();
}
