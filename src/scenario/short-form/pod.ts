import type { PodDraft, PortDraft } from '../drafts.ts';
import { readHostIp, readIps } from '../reading/addresses.ts';
import { readCommands, readMtu, readPort, readTransport } from '../reading/common.ts';
import { POD_DNS_KEYS, readPodDns } from '../reading/dns.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isMapping, valueAt } from '../source/container.ts';

const KEYS: readonly string[] = [
  'name',
  'namespace',
  'node',
  'ip',
  'labels',
  'ports',
  'containers',
  'hostNetwork',
  'ready',
  'terminating',
  'mtu',
  'hairpinMode',
  'commands',
  ...POD_DNS_KEYS,
];
const PORT_KEYS: readonly string[] = ['containerPort', 'protocol', 'hostPort', 'hostIP', 'name', 'listens'];

/** An entry of `pods`. */
export function readShortPod(reader: Reader, pod: Mapping): PodDraft | undefined {
  reader.allowOnly(pod, 'a pod', KEYS);
  const name = reader.requiredName(pod, 'name', 'A pod');
  if (name === undefined) return undefined;
  const node = reader.text(pod, 'node');
  return {
    name,
    namespace:
      valueAt(pod, 'namespace') === undefined ? 'default' : (reader.requiredName(pod, 'namespace', 'A pod') ?? 'default'),
    position: reader.position(pod),
    node,
    nodePosition: node === undefined ? undefined : reader.position(pod, 'node'),
    addresses: readIps(reader, pod, 'ip'),
    labels: reader.textMap(pod, 'labels'),
    ports: reader.items(pod, 'ports', (list, i) => readShortPort(reader, list, i)),
    containers: reader.items(pod, 'containers', (list, i) => readContainerName(reader, list, i)),
    dns: readPodDns(reader, pod, 'strict'),
    hostNetwork: reader.boolean(pod, 'hostNetwork'),
    ready: reader.boolean(pod, 'ready'),
    terminating: reader.boolean(pod, 'terminating'),
    mtu: readMtu(reader, pod, 'mtu'),
    hairpinMode: reader.boolean(pod, 'hairpinMode'),
    commands: readCommands(reader, pod, 'commands'),
  };
}

/** A name, or a mapping with a name as in a PodSpec. */
function readContainerName(reader: Reader, list: readonly unknown[], index: number): string | undefined {
  const item = list[index];
  if (!isMapping(item)) return reader.text(list, index);
  reader.allowOnly(item, 'a container of a pod', ['name']);
  return reader.requiredName(item, 'name', 'A container');
}

function readShortPort(reader: Reader, list: readonly unknown[], index: number): PortDraft | undefined {
  const item = list[index];
  const position = reader.position(list, index);
  if (!isMapping(item)) {
    const port = readPort(reader, list, index);
    return port === undefined
      ? undefined
      : { name: '', port, protocol: 'tcp', hostPort: null, hostIp: null, listens: true, process: index, position };
  }
  reader.allowOnly(item, 'a port of a pod', PORT_KEYS);
  if (valueAt(item, 'containerPort') === undefined) {
    reader.problems.error('missing-key', 'A port of a pod needs "containerPort"', position);
    return undefined;
  }
  const port = readPort(reader, item, 'containerPort');
  if (port === undefined) return undefined;
  return {
    name: reader.text(item, 'name') ?? '',
    port,
    protocol: readTransport(reader, item, 'protocol'),
    hostPort: readPort(reader, item, 'hostPort') ?? null,
    hostIp: readHostIp(reader, item) ?? null,
    listens: reader.boolean(item, 'listens') ?? true,
    process: index,
    position,
  };
}
