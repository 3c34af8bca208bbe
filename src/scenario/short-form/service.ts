import type { ServiceDraft } from '../drafts.ts';
import type { Reader } from '../reading/reader.ts';
import { SERVICE_SPEC_KEYS, readLoadBalancerIngress, readServiceSpec } from '../reading/service-spec.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';

/** An entry of `services`: name, namespace, labels, annotations, status, and the fields of a ServiceSpec. */
export function readShortService(reader: Reader, service: Mapping): ServiceDraft | undefined {
  reader.allowOnly(service, 'a service', ['name', 'namespace', 'labels', 'annotations', 'status', ...SERVICE_SPEC_KEYS]);
  const name = reader.requiredName(service, 'name', 'A service');
  if (name === undefined) return undefined;
  const status = reader.mapping(service, 'status');
  return {
    name,
    namespace:
      valueAt(service, 'namespace') === undefined
        ? 'default'
        : (reader.requiredName(service, 'namespace', 'A service') ?? 'default'),
    position: reader.position(service),
    labels: reader.textMap(service, 'labels'),
    annotations: reader.textMap(service, 'annotations'),
    loadBalancerIngress: status === undefined ? undefined : readLoadBalancerIngress(reader, status, 'strict'),
    ...readServiceSpec(reader, service, 'strict'),
  };
}
