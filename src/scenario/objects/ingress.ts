import type { IngressClass } from '../../kubernetes/model/ingress.ts';
import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { IngressDraft } from '../drafts.ts';
import { readIngressSpec, readIngressStatus } from '../reading/ingress-spec.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { readMetadata, section } from './metadata.ts';

/** Marks the class of Ingresses that name none. */
const DEFAULT_CLASS_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** A networking.k8s.io Ingress, of v1 or v1beta1. */
export function readIngress(reader: Reader, object: Mapping): IngressDraft | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const isOld = String(valueAt(object, 'apiVersion')).endsWith('/v1beta1');
  const form = { strictness: 'lenient', defaultPathType: isOld ? 'ImplementationSpecific' : null } as const;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    position: reader.position(metadata.raw, 'name'),
    annotations: reader.textMap(metadata.raw, 'annotations'),
    loadBalancerIngress: readIngressStatus(reader, section(reader, object, 'status')),
    ...readIngressSpec(reader, section(reader, object, 'spec'), form),
  };
}

/** A networking.k8s.io IngressClass. */
export function readIngressClass(
  reader: Reader,
  object: Mapping,
): (IngressClass & { readonly position: SourcePosition }) | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const controller = reader.string(section(reader, object, 'spec'), 'controller') ?? '';
  const annotations = reader.textMap(metadata.raw, 'annotations');
  return {
    name: metadata.name,
    controller,
    isDefault: annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true',
    position: reader.position(metadata.raw, 'name'),
  };
}
