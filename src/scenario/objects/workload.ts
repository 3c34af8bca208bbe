import type { WorkloadDraft } from '../drafts.ts';
import { readPodDns } from '../reading/dns.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { readMetadata, readOwner, section } from './metadata.ts';
import { readContainerNames, readPodPorts } from './pod.ts';

const MAX_REPLICAS = 2 ** 31 - 1;

/** An apps/v1 Deployment, StatefulSet, DaemonSet or ReplicaSet. */
export function readWorkload(reader: Reader, object: Mapping, kind: WorkloadDraft['kind']): WorkloadDraft | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const spec = section(reader, object, 'spec');
  const template = section(reader, spec, 'template');
  const podSpec = section(reader, template, 'spec');
  const { namespace, name } = metadata;
  const position = reader.source.namePosition(metadata.raw);
  return {
    kind,
    namespace,
    name,
    position,
    replicas: reader.integer(spec, 'replicas', 0, MAX_REPLICAS) ?? 1,
    firstOrdinal: reader.integer(section(reader, spec, 'ordinals'), 'start', 0, MAX_REPLICAS) ?? 0,
    serviceName: kind === 'StatefulSet' ? reader.string(spec, 'serviceName') : undefined,
    owner: readOwner(metadata.raw) ?? null,
    nodeSelector: reader.textMap(podSpec, 'nodeSelector') ?? {},
    template: {
      namespace,
      name,
      position,
      node: reader.string(podSpec, 'nodeName'),
      labels: reader.textMap(section(reader, template, 'metadata'), 'labels'),
      owner: { kind, name },
      hostNetwork: reader.boolean(podSpec, 'hostNetwork'),
      ports: readPodPorts(reader, podSpec),
      containers: readContainerNames(podSpec),
      dns: readPodDns(reader, podSpec, 'lenient'),
    },
  };
}
