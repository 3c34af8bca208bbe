import type { Collector } from '../collector.ts';
import { readKubeProxy, KUBE_PROXY_KEYS } from '../reading/kube-proxy.ts';
import type { Reader } from '../reading/reader.ts';
import type { ReadFile } from '../scenario.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { readCheck } from './check.ts';
import { readCluster } from './cluster.ts';
import { readCni } from './cni.ts';
import { readExternal } from './external.ts';
import { readShortNode } from './node.ts';
import { readShortPod } from './pod.ts';
import { readShortService } from './service.ts';
import { readUnderlay } from './underlay.ts';

const KEYS: readonly string[] = [
  'cluster',
  'cni',
  'kubeProxy',
  'nodes',
  'pods',
  'services',
  'external',
  'underlay',
  'checks',
  'steps',
];

/** A document without `kind`: the short form (design, section 5). All its keys are strict. */
export function readDocument(reader: Reader, document: Mapping, readFile: ReadFile, out: Collector): void {
  reader.allowOnly(document, 'a scenario', KEYS);
  const cluster = reader.mapping(document, 'cluster');
  if (cluster !== undefined) out.addCluster(readCluster(reader, cluster), reader.position(cluster));
  out.addCni(readCni(reader, document));
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
  const underlay = reader.mapping(document, 'underlay');
  if (underlay !== undefined) out.addUnderlay(readUnderlay(reader, underlay), reader.position(underlay));
  for (const check of reader.mappings(document, 'checks', (item) => readCheck(reader, item)) ?? []) out.addCheck(check);
  if (valueAt(document, 'steps') !== undefined) {
    reader.problems.error('not-supported', '"steps" is not supported yet', reader.source.keyPosition(document, 'steps'));
  }
}
