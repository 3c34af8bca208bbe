import type { DeletionDraft } from '../drafts.ts';
import type { Reader } from '../reading/reader.ts';

/** kubectl's names of the kinds, and `external`. */
const KINDS: Readonly<Record<string, DeletionDraft['kind']>> = {
  pod: 'Pod',
  po: 'Pod',
  service: 'Service',
  svc: 'Service',
  node: 'Node',
  no: 'Node',
  external: 'External',
  endpointslice: 'EndpointSlice',
  ingress: 'Ingress',
  ing: 'Ingress',
  deployment: 'Deployment',
  deploy: 'Deployment',
  statefulset: 'StatefulSet',
  sts: 'StatefulSet',
  daemonset: 'DaemonSet',
  ds: 'DaemonSet',
  replicaset: 'ReplicaSet',
  rs: 'ReplicaSet',
};

/** An entry of `delete`: "pod/NAME", "svc/NAMESPACE/NAME", "node/NAME" ... */
export function readDeletion(reader: Reader, list: readonly unknown[], index: number): DeletionDraft | undefined {
  const text = reader.string(list, index);
  if (text === undefined) return undefined;
  const [word = '', ...path] = text.split('/');
  const kind = KINDS[word.toLowerCase()];
  const plain = kind === 'Node' || kind === 'External';
  if (kind === undefined || path.some((part) => part === '') || path.length < 1 || path.length > (plain ? 1 : 2)) {
    return reader.wrong(list, index, 'what is to be deleted, as pod/NAME or svc/NAMESPACE/NAME', `Kinds: ${kinds()}`);
  }
  const namespace = plain ? '' : path.length === 2 ? (path[0] ?? '') : 'default';
  return { kind, namespace, name: path.at(-1) ?? '', position: reader.position(list, index) };
}

function kinds(): string {
  return Object.keys(KINDS)
    .filter((word) => word.length > 3 || word === 'pod' || word === 'svc')
    .join(', ');
}
