import type { IngressSettings } from '../../kubernetes/model/ingress.ts';
import type { IngressDraft, IngressSettingsDraft } from '../drafts.ts';
import { INGRESS_SPEC_KEYS, readIngressSpec, readIngressStatus } from '../reading/ingress-spec.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';

const KEYS: readonly string[] = ['name', 'namespace', 'labels', 'annotations', 'status', ...INGRESS_SPEC_KEYS];

/** An entry of `ingresses`: name, namespace, annotations, status, and the fields of an IngressSpec. A path without a type is a Prefix. */
export function readShortIngress(reader: Reader, ingress: Mapping): IngressDraft | undefined {
  reader.allowOnly(ingress, 'an ingress', KEYS);
  const name = reader.requiredName(ingress, 'name', 'An ingress');
  const namespaced = valueAt(ingress, 'namespace') !== undefined;
  const namespace = namespaced ? reader.requiredName(ingress, 'namespace', 'An ingress') : 'default';
  const spec = readIngressSpec(reader, ingress, { strictness: 'strict', defaultPathType: 'Prefix' });
  const status = reader.mapping(ingress, 'status');
  if (name === undefined || namespace === undefined) return undefined;
  return {
    namespace,
    name,
    position: reader.position(ingress),
    annotations: reader.textMap(ingress, 'annotations'),
    loadBalancerIngress: status === undefined ? undefined : readIngressStatus(reader, status),
    ...spec,
  };
}

/** The `ingress` key: the controller's pods, where they connect to, and the class that they serve. */
export function readIngressSettings(reader: Reader, settings: Mapping): IngressSettingsDraft {
  reader.allowOnly(settings, '"ingress"', ['controller', 'upstream', 'class']);
  return {
    controller: readController(reader, settings),
    upstream: reader.oneOf(settings, 'upstream', ['service', 'endpoints']),
    className: reader.string(settings, 'class'),
    position: reader.position(settings),
  };
}

function readController(reader: Reader, settings: Mapping): IngressSettings['controller'] | undefined {
  const controller = reader.mapping(settings, 'controller');
  if (controller === undefined) return undefined;
  reader.allowOnly(controller, '"controller"', ['namespace', 'labels']);
  const labels = reader.textMap(controller, 'labels');
  if (labels === undefined || Object.keys(labels).length === 0) {
    const hint = 'Such as labels: { app: ingress }';
    reader.problems.error('missing-key', '"controller" needs "labels" of its pods', reader.position(controller), hint);
    return undefined;
  }
  return { namespace: reader.text(controller, 'namespace') ?? null, labels };
}
