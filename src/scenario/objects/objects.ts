import type { Collector } from '../collector.ts';
import type { Reader } from '../reading/reader.ts';
import { readKubeProxy } from '../reading/kube-proxy.ts';
import type { Mapping } from '../source/container.ts';
import { isMapping, valueAt } from '../source/container.ts';
import { readConfigMap } from './config-map.ts';
import { readEndpointSlice } from './endpoint-slice.ts';
import { readEndpoints } from './endpoints.ts';
import { readIngress, readIngressClass } from './ingress.ts';
import { readMetadata } from './metadata.ts';
import { readNode } from './node.ts';
import { readPod } from './pod.ts';
import type { LeftOutPod } from '../../kubernetes/model/cluster.ts';
import type { PodDraft } from '../drafts.ts';
import { readService } from './service.ts';
import { readWorkload } from './workload.ts';

/** A mapping that must be a Kubernetes object: it names its kind and API version. */
export function readKubernetesObject(reader: Reader, object: Mapping, out: Collector): void {
  const kind = valueAt(object, 'kind');
  const apiVersion = valueAt(object, 'apiVersion');
  if (typeof kind === 'string' && typeof apiVersion === 'string') {
    readObject(reader, object, kind, out);
    return;
  }
  const missing = typeof kind === 'string' ? 'apiVersion' : 'kind';
  const message = `A Kubernetes object needs "apiVersion" and "kind", as text; "${missing}" is not there`;
  reader.problems.error('not-an-object', message, reader.position(object), 'A scenario has neither of them');
}

/** Reads one Kubernetes object, or each object of a List, into the collector. `kind` is the object's own, or its list's. */
function readObject(reader: Reader, object: Mapping, kind: string, out: Collector): void {
  switch (kind) {
    case 'Node':
      return out.addNode('object', readNode(reader, object));
    case 'Pod':
      return addPod(out, readPod(reader, object));
    case 'Service':
      return out.addService('object', readService(reader, object));
    case 'EndpointSlice':
      return out.addSlice(readEndpointSlice(reader, object));
    case 'Endpoints':
      return out.addEndpoints(readEndpoints(reader, object));
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'ReplicaSet':
      return out.addWorkload(readWorkload(reader, object, kind));
    case 'KubeProxyConfiguration':
      return out.addKubeProxy('object', readKubeProxy(reader, object));
    case 'ConfigMap':
      return readConfigMap(reader, object, out);
    case 'Ingress':
      return out.addIngress('object', readIngress(reader, object));
    case 'IngressClass':
      return out.addIngressClass(readIngressClass(reader, object));
    case 'Namespace':
      return;
    default:
      if (kind.endsWith('List')) return readList(reader, object, kind, out);
      if (kind.endsWith('NetworkPolicy')) return readNotModelled(reader, object, kind, out);
      return out.passOver(kind);
  }
}

/** A List, or a typed one such as PodList. */
function readList(reader: Reader, object: Mapping, kind: string, out: Collector): void {
  const items = reader.list(object, 'items') ?? [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (isMapping(item)) readListItem(reader, item, kind, out);
    else reader.wrong(items, i, 'a Kubernetes object');
  }
}

/** An item of a list of this kind; those of typed lists need not repeat theirs. */
export function readListItem(reader: Reader, item: Mapping, kind: string, out: Collector): void {
  const own = valueAt(item, 'kind') ?? (kind === 'List' ? undefined : kind.slice(0, -'List'.length));
  if (typeof own === 'string' && !own.endsWith('List')) {
    readObject(reader, item, own, out);
    return;
  }
  const message = 'An item of a List must be a Kubernetes object with a kind';
  reader.problems.error('not-an-object', message, reader.position(item));
}

function addPod(out: Collector, pod: PodDraft | LeftOutPod | undefined): void {
  if (pod !== undefined && 'why' in pod) out.leaveOut(pod);
  else out.addPod('object', pod);
}

function readNotModelled(reader: Reader, object: Mapping, kind: string, out: Collector): void {
  const metadata = readMetadata(reader, object);
  if (metadata !== undefined) out.addNotModelled(kind, metadata.namespace, metadata.name);
}
