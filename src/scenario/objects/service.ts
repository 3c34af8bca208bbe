import type { ServiceDraft } from '../drafts.ts';
import type { Reader } from '../reading/reader.ts';
import { readLoadBalancerIngress, readServiceSpec } from '../reading/service-spec.ts';
import type { Mapping } from '../source/container.ts';
import { readMetadata, section } from './metadata.ts';

/** A core/v1 Service. Malformed external addresses and ranges are passed over, as kube-proxy does (facts measured on it). */
export function readService(reader: Reader, object: Mapping): ServiceDraft | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const spec = readServiceSpec(reader, section(reader, object, 'spec'), 'lenient');
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    position: reader.source.namePosition(metadata.raw),
    complete: spec.headless !== undefined,
    labels: reader.textMap(metadata.raw, 'labels'),
    annotations: reader.textMap(metadata.raw, 'annotations'),
    loadBalancerIngress: readLoadBalancerIngress(reader, section(reader, object, 'status'), 'lenient'),
    ...spec,
  };
}
