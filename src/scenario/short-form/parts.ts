import type { Collector } from '../collector.ts';
import { readKubeProxy, KUBE_PROXY_KEYS } from '../reading/kube-proxy.ts';
import type { Reader } from '../reading/reader.ts';
import type { ReadFile } from '../scenario.ts';
import type { Mapping } from '../source/container.ts';
import { readExternal } from './external.ts';
import { readExternalDns } from './external-dns.ts';
import { readShortIngress } from './ingress.ts';
import { readShortNode } from './node.ts';
import { readShortPod } from './pod.ts';
import { readShortService } from './service.ts';
import { readUnderlay } from './underlay.ts';

/** What may be there at the start and may also come, or change, in a step. */
export const PART_KEYS: readonly string[] = [
  'kubeProxy',
  'nodes',
  'pods',
  'services',
  'external',
  'ingresses',
  'externalDNS',
  'underlay',
];

/** Reads the parts of a short form into the collector. */
export function readParts(reader: Reader, document: Mapping, readFile: ReadFile, out: Collector): void {
  const kubeProxy = reader.mapping(document, 'kubeProxy');
  if (kubeProxy !== undefined) {
    reader.allowOnly(kubeProxy, 'kubeProxy', KUBE_PROXY_KEYS);
    out.addKubeProxy('short', readKubeProxy(reader, kubeProxy));
  }
  for (const node of reader.mappings(document, 'nodes', (item) => readShortNode(reader, item, readFile)) ?? [])
    out.addNode('short', node);
  for (const pod of reader.mappings(document, 'pods', (item) => readShortPod(reader, item)) ?? []) out.addPod('short', pod);
  for (const service of reader.mappings(document, 'services', (item) => readShortService(reader, item)) ?? []) {
    out.addService('short', service);
  }
  for (const external of reader.mappings(document, 'external', (item) => readExternal(reader, item)) ?? [])
    out.addExternal(external);
  for (const ingress of reader.mappings(document, 'ingresses', (item) => readShortIngress(reader, item)) ?? [])
    out.addIngress('short', ingress);
  for (const entry of readExternalDns(reader, document)) out.addExternalName(entry);
  const underlay = reader.mapping(document, 'underlay');
  if (underlay !== undefined) out.addUnderlay(readUnderlay(reader, underlay), reader.position(underlay));
}
