import type { Collector } from '../collector.ts';
import type { Reader } from '../reading/reader.ts';
import type { ReadFile } from '../scenario.ts';
import type { Mapping } from '../source/container.ts';
import { readStep } from '../steps/read.ts';
import { readCheck } from './check.ts';
import { readCluster } from './cluster.ts';
import { readCni } from './cni.ts';
import { readIngressSettings } from './ingress.ts';
import { readLoadBalancer } from './load-balancer.ts';
import { PART_KEYS, readParts } from './parts.ts';

const KEYS: readonly string[] = ['cluster', 'cni', ...PART_KEYS, 'ingress', 'loadBalancer', 'checks', 'steps'];

/** A document without `kind`: the short form (design, section 5). All its keys are strict. */
export function readDocument(reader: Reader, document: Mapping, readFile: ReadFile, out: Collector): void {
  reader.allowOnly(document, 'a scenario', KEYS);
  const cluster = reader.mapping(document, 'cluster');
  if (cluster !== undefined) out.addCluster(readCluster(reader, cluster), reader.position(cluster));
  out.addCni(readCni(reader, document));
  readParts(reader, document, readFile, out);
  const ingress = reader.mapping(document, 'ingress');
  if (ingress !== undefined) out.addIngressSettings(readIngressSettings(reader, ingress));
  const loadBalancer = reader.mapping(document, 'loadBalancer');
  if (loadBalancer !== undefined) out.addLoadBalancer(readLoadBalancer(reader, loadBalancer));
  for (const check of reader.mappings(document, 'checks', (item) => readCheck(reader, item)) ?? []) out.addCheck(check);
  for (const step of reader.mappings(document, 'steps', (item) => readStep(reader, item, readFile)) ?? []) out.addStep(step);
}
