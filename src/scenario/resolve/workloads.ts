import type { Node, Workload } from '../../kubernetes/model/cluster.ts';
import type { PodDns } from '../../kubernetes/model/dns.ts';
import type { Drafts, NodeDraft, PodDraft, WorkloadDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import type { Allotments } from './allotments.ts';

/** A cluster of more pods is beyond Kubernetes' limits, and most likely a slip of the pen. */
const MAX_PODS = 150_000;

export interface ExpandedWorkloads {
  /** Given pods and those of workloads, in the order of the input, each with a node if it could be placed. */
  readonly pods: readonly PodDraft[];
  readonly workloads: readonly Workload[];
}

/**
 * Makes the pods of workloads of which none are given: `NAME-N` from 0 on, round robin over the nodes that a plain pod may use,
 * or `NAME-NODE` on every node that the selector of a DaemonSet takes. A given pod with such a name takes its place and adds to it.
 * A pod that an earlier step has placed stays where it is.
 */
export function expandWorkloads(
  drafts: Drafts,
  nodes: readonly Node[],
  problems: Problems,
  allotments: Allotments,
): ExpandedWorkloads {
  if (drafts.pods.every(isPlacedPod)) return { pods: drafts.pods, workloads: [] };
  const given = new Map<string, PodDraft>();
  const workloadDrafts: WorkloadDraft[] = [];
  for (const entry of drafts.pods) {
    if ('template' in entry) workloadDrafts.push(entry);
    else given.set(`${entry.namespace}/${entry.name}`, entry);
  }
  const owned = podsByOwner([...given.values()], workloadDrafts);
  const places = new Places(nodes, drafts.nodes, problems, allotments);
  const pods = new Map<string, PodDraft>();
  const workloads: Workload[] = [];
  for (const entry of drafts.pods) {
    if (!('template' in entry)) {
      const name = `${entry.namespace}/${entry.name}`;
      if (!pods.has(name)) pods.set(name, places.place(entry));
      continue;
    }
    let names = owned.get(ownerKey(entry)) ?? [];
    if (names.length === 0 && !isOwnedByGiven(entry, workloadDrafts)) {
      const made = places.podsOf(entry);
      for (const pod of made) {
        const name = `${pod.namespace}/${pod.name}`;
        const own = given.get(name);
        pods.set(name, own === undefined ? pod : { ...pod, ...definedOf(own) });
      }
      names = made.map((pod) => `${pod.namespace}/${pod.name}`);
    }
    workloads.push({ kind: entry.kind, namespace: entry.namespace, name: entry.name, pods: names });
  }
  return { pods: [...pods.values()], workloads };
}

/** Most pods of a dump: nothing to make of them. */
function isPlacedPod(entry: PodDraft | WorkloadDraft): entry is PodDraft {
  return !('template' in entry) && entry.node !== undefined;
}

/** Chooses nodes. Plain pods that name no node take turns; each workload begins at the first node. */
class Places {
  readonly #nodes: readonly Node[];
  readonly #schedulable: readonly Node[];
  readonly #problems: Problems;
  readonly #allotments: Allotments;
  #next = 0;
  #made = 0;

  constructor(nodes: readonly Node[], drafts: readonly NodeDraft[], problems: Problems, allotments: Allotments) {
    const closed = new Set(drafts.filter((n) => n.unschedulable === true).map((n) => n.name));
    const open = nodes.filter((n) => !closed.has(n.name));
    this.#nodes = nodes;
    this.#schedulable = open.length > 0 ? open : nodes;
    this.#problems = problems;
    this.#allotments = allotments;
  }

  place(pod: PodDraft): PodDraft {
    if (pod.node !== undefined || pod.placeable !== true || this.#schedulable.length === 0) return pod;
    const node = this.#placeBefore(pod) ?? this.#schedulable[this.#next++ % this.#schedulable.length]?.name;
    return node === undefined ? pod : { ...pod, node };
  }

  podsOf(workload: WorkloadDraft): readonly PodDraft[] {
    const { template, kind, name } = workload;
    const selector = Object.entries(workload.nodeSelector);
    const takes = (node: Node): boolean =>
      selector.every(([key, value]) => node.labels[key] === value) &&
      (template.node === undefined || template.node === node.name);
    if (kind === 'DaemonSet')
      return this.#nodes.filter(takes).map((node) => ({ ...template, name: `${name}-${node.name}`, node: node.name }));
    this.#made += workload.replicas;
    if (this.#made > MAX_PODS) {
      const hint = `At most ${MAX_PODS} pods are made, Kubernetes' own limit for a cluster`;
      this.#problems.error('too-many-pods', `${kind} ${name} asks for too many pods`, workload.position, hint);
      return [];
    }
    const nodes = this.#schedulable.filter(takes);
    if (nodes.length === 0 && workload.replicas > 0) {
      const why = template.node ?? (selector.length > 0 ? selector.map(([k, v]) => `${k}=${v}`).join(',') : null);
      const message = `The pods of ${kind} ${name} can be placed nowhere`;
      if (why === null) this.#problems.error('no-node', `${message}: there is no node`, workload.position);
      else
        this.#problems.warning(
          'pending-pod',
          `${message}: no node is ${why}. They stay Pending and are left out`,
          workload.position,
        );
      return [];
    }
    return Array.from({ length: workload.replicas }, (_, i) => {
      const pod = identified({ ...template, name: `${name}-${workload.firstOrdinal + i}` }, workload);
      return { ...pod, node: this.#placeBefore(pod) ?? nodes[i % nodes.length]?.name };
    });
  }

  /** The node that an earlier step has put a pod on, if it is still there. */
  #placeBefore({ namespace, name }: PodDraft): string | undefined {
    const node = this.#allotments.pods.get(`${namespace}/${name}`)?.node;
    return node !== undefined && this.#nodes.some((n) => n.name === node) ? node : undefined;
  }
}

const DEFAULT_DNS: PodDns = { hostname: null, subdomain: null, policy: 'ClusterFirst', config: null };

/** A StatefulSet gives each of its pods its name as host name, below its service (`updateIdentity`). */
function identified(pod: PodDraft, { kind, serviceName }: WorkloadDraft): PodDraft {
  if (kind !== 'StatefulSet' || serviceName === undefined) return pod;
  return { ...pod, dns: { ...(pod.dns ?? DEFAULT_DNS), hostname: pod.name, subdomain: serviceName } };
}

function ownerKey(owner: { readonly kind: string; readonly namespace: string; readonly name: string }): string {
  return `${owner.kind} ${owner.namespace}/${owner.name}`;
}

/** Names of given pods by owner; the pods of a Deployment's ReplicaSet are the Deployment's too. */
function podsByOwner(pods: readonly PodDraft[], workloads: readonly WorkloadDraft[]): ReadonlyMap<string, readonly string[]> {
  const parents = new Map<string, string>();
  for (const workload of workloads) {
    if (workload.owner !== null) parents.set(ownerKey(workload), ownerKey({ ...workload.owner, namespace: workload.namespace }));
  }
  const out = new Map<string, string[]>();
  const add = (key: string, name: string): void => {
    const names = out.get(key);
    if (names === undefined) out.set(key, [name]);
    else names.push(name);
  };
  for (const { namespace, name, owner, labels } of pods) {
    if (owner === undefined) continue;
    const key = ownerKey({ ...owner, namespace });
    add(key, `${namespace}/${name}`);
    const parent = parents.get(key) ?? deploymentOf(owner, namespace, labels?.['pod-template-hash']);
    if (parent !== null) add(parent, `${namespace}/${name}`);
  }
  return out;
}

/** A ReplicaSet that is not given is named after its Deployment and the hash of the template. */
function deploymentOf(
  owner: { readonly kind: string; readonly name: string },
  namespace: string,
  hash: string | undefined,
): string | null {
  if (owner.kind !== 'ReplicaSet' || hash === undefined || !owner.name.endsWith(`-${hash}`)) return null;
  return ownerKey({ kind: 'Deployment', namespace, name: owner.name.slice(0, -hash.length - 1) });
}

function isOwnedByGiven(workload: WorkloadDraft, all: readonly WorkloadDraft[]): boolean {
  const { owner, namespace } = workload;
  return owner !== null && all.some((w) => w.kind === owner.kind && w.namespace === namespace && w.name === owner.name);
}

function definedOf<T extends object>(value: T): T {
  const out = { ...value };
  for (const key of Object.keys(out) as (keyof T)[]) if (out[key] === undefined) delete out[key];
  return out;
}
