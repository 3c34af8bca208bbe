import { explainName } from './explain-name.ts';
import { explainAddress } from './registration/address.ts';
import { explainNode } from './registration/node.ts';
import { explainPod } from './registration/pod.ts';
import { registrationOf } from './registration/index.ts';
import { openLaboratory } from './laboratory.ts';
import { findExternal, findNode, findPod, findService, findWorkloadPod } from './refs/lookup.ts';
import { parsePort, parseRef } from './refs/parse.ts';
import { found, refused } from './refs/ref.ts';
import { nodeNamed } from './rules.ts';
import { API_VERSION } from '../trace/trace.ts';
import { findServiceNamed } from '../kubernetes/services/find-service.ts';
import type { World } from '../kernel/world.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { Explanation } from '../trace/explanation.ts';
import type { Engine } from './laboratory.ts';
import type { Ref, Result } from './refs/ref.ts';

/** What to explain, and for whom. */
export interface ExplainQuestion {
  /** A chain, svc/NAME, pod/NAME, node/NAME, external/NAME, or IP[:PORT]. */
  readonly text: string;
  /** On whose rules; null: the first node's for chains, all nodes' for a service. */
  readonly node: string | null;
  /** Of references that name none. */
  readonly namespace: string;
}

/** An explanation; a message on what is wrong with the question; or what is wrong with the cluster. */
export type ExplainResult =
  | { readonly ok: true; readonly explanation: Explanation }
  | { readonly ok: false; readonly message: string }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Explains a chain, or what a reference names. */
export function explain(cluster: Cluster, question: ExplainQuestion, engine: Engine): ExplainResult {
  const { text, namespace } = question;
  const target = targetOf(cluster, text, namespace);
  if (!target.ok) return target;
  const node = question.node === null ? null : nodeNamed(cluster, question.node);
  if (node !== null && !node.ok) return node;
  const nodeName = node?.value.name ?? null;
  if (target.value.kind === 'chain') return explainChains(cluster, text, nodeName, namespace);
  const opened = openLaboratory(cluster, {}, engine);
  if (!opened.ok) return opened;
  return explainTarget(opened.laboratory.cluster, target.value, nodeName, opened.laboratory.world);
}

/** What is explained. */
type Target =
  | { readonly kind: 'chain' }
  | { readonly kind: 'svc' | 'pod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'address'; readonly address: IpAddress; readonly port: number | null };

/** Chains have no slash, dot or colon in their names. */
function targetOf(cluster: Cluster, text: string, namespace: string): Result<Target> {
  if (!/[/:.]/.test(text)) return found({ kind: 'chain' });
  const parsed = parseRef(text);
  if (!parsed.ok) return parsed;
  const ref = parsed.value;
  switch (ref.form) {
    case 'address':
      return found({ kind: 'address', address: ref.address, port: ref.port });
    case 'object':
      return targetOfObject(cluster, ref, ref.namespace ?? namespace);
    case 'dns': {
      const [name, behind] = ref.name.split('.');
      const service = findServiceNamed(cluster, behind ?? '', name ?? '');
      return refused(`"${text}": ${FORMS}${service === undefined ? '' : `; did you mean svc/${behind}/${name}?`}`);
    }
    case 'url':
      return refused(`"${text}": ${FORMS}; what a URL leads to is traced: k8snet trace --to ${text}`);
  }
}

const FORMS = 'chains, svc/NAME, pod/NAME, node/NAME and IP[:PORT] are explained';

function targetOfObject(cluster: Cluster, ref: Extract<Ref, { form: 'object' }>, namespace: string): Result<Target> {
  const { kind, name } = ref;
  switch (kind) {
    case 'svc': {
      const service = findService(cluster, namespace, name);
      return service.ok ? found({ kind, namespace, name }) : service;
    }
    case 'pod': {
      const pod = findPod(cluster, namespace, name);
      return pod.ok ? found({ kind, namespace, name }) : pod;
    }
    case 'node': {
      const node = findNode(cluster, name);
      if (!node.ok) return node;
      return ref.port === null ? found({ kind, name }) : addressTarget(node.value.addresses[0], ref.port, `node/${name}`);
    }
    case 'external': {
      const external = findExternal(cluster, name);
      return external.ok ? addressTarget(external.value.addresses[0], ref.port, `external/${name}`) : external;
    }
    case 'deploy':
    case 'sts':
    case 'ds':
    case 'rs': {
      const first = findWorkloadPod(cluster, kind, namespace, name);
      if (!first.ok) return first;
      const { pod } = first.value;
      return refused(`${kind}/${name}: ${FORMS}; its first pod is pod/${pod.namespace}/${pod.name}`);
    }
  }
}

function addressTarget(address: IpAddress | undefined, portText: string | null, name: string): Result<Target> {
  if (address === undefined) return refused(`${name} has no address`);
  const port = portText === null ? null : parsePort(portText);
  if (portText !== null && port === null) return refused(`"${portText}" is not a port (1 to 65535)`);
  return found({ kind: 'address', address, port });
}

/** A name that is no chain may be that of an object. */
function explainChains(cluster: Cluster, text: string, node: string | null, namespace: string): ExplainResult {
  const chains = explainName(cluster, text, node, namespace);
  if (chains.ok) return { ok: true, explanation: documentOf({ chains: chains.value }) };
  const isHere = (each: { readonly namespace: string; readonly name: string }): boolean =>
    each.name === text && each.namespace === namespace;
  const hint = cluster.services.some(isHere)
    ? `svc/${text}`
    : cluster.pods.some(isHere)
      ? `pod/${text}`
      : cluster.nodes.some(({ name }) => name === text)
        ? `node/${text}`
        : null;
  return hint === null ? chains : refused(`no chain "${text}"; did you mean ${hint}?`);
}

function documentOf(parts: Pick<Explanation, 'chains'> & Partial<Explanation>): Explanation {
  return { apiVersion: API_VERSION, kind: 'Explanation', ...parts };
}

function explainTarget(
  cluster: Cluster,
  target: Exclude<Target, { kind: 'chain' }>,
  node: string | null,
  world: World,
): ExplainResult {
  switch (target.kind) {
    case 'svc': {
      const service = findService(cluster, target.namespace, target.name);
      if (!service.ok) return service;
      const chains = explainName(cluster, `svc/${target.namespace}/${target.name}`, node, target.namespace);
      if (!chains.ok) return chains;
      const registration = registrationOf(cluster, service.value, world, node);
      return { ok: true, explanation: documentOf({ service: registration, chains: chains.value }) };
    }
    case 'pod': {
      const pod = findPod(cluster, target.namespace, target.name);
      if (!pod.ok) return pod;
      return { ok: true, explanation: documentOf({ pod: explainPod(cluster, pod.value, world), chains: [] }) };
    }
    case 'node': {
      const wanted = findNode(cluster, target.name);
      if (!wanted.ok) return wanted;
      return { ok: true, explanation: documentOf({ node: explainNode(cluster, wanted.value, world), chains: [] }) };
    }
    case 'address': {
      const address = explainAddress(cluster, target.address, target.port, world);
      return { ok: true, explanation: documentOf({ address, chains: [] }) };
    }
  }
}
