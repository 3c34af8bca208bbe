import type { Cluster, CommandLine, Pod } from '../../kubernetes/model/cluster.ts';
import { nearest } from '../../support/nearest.ts';
import type { DeletionDraft, Drafts, StepCommandDraft, StepDraft } from '../drafts.ts';
import { Problems } from '../reading/problems.ts';
import { NO_ALLOTMENTS } from '../resolve/allotments.ts';
import { resolveCluster } from '../resolve/resolve.ts';
import type { Ended, HostCommand, Step } from '../scenario.ts';
import { validate } from '../validate/validate.ts';
import { applyStep } from './change.ts';
import { allotmentsAfter, settle } from './settle.ts';

/**
 * The cluster as it is after each step: the changes are put into what the files say, and all that controllers fill in is filled in
 * anew, so that slices, rules and workloads follow. What earlier steps have handed out stays. Warnings are not told: a step may
 * well break something on purpose.
 */
export function resolveSteps(drafts: Drafts, first: Cluster, problems: Problems): readonly Step[] {
  const steps: Step[] = [];
  let before = { drafts, cluster: first, allotments: NO_ALLOTMENTS, commands: [] as readonly HostCommand[] };
  for (const [i, step] of drafts.steps.entries()) {
    const found = new Problems();
    const name = step.name ?? `step ${i + 1}`;
    const deleted = new Set(step.deletions.map(deletionKey));
    const isDeleted = deletedPods(before.cluster, deleted);
    const allotments = allotmentsAfter(before.cluster, before.allotments, isDeleted);
    const fates = new Map(
      before.cluster.pods.map((pod) => [`${pod.namespace}/${pod.name}`, isDeleted(pod) ? 'goes' : 'stays'] as const),
    );
    const changed = applyStep(settle(before.drafts, before.cluster), step, fates, found);
    const { cluster, pods } = resolveCluster(changed, found, allotments);
    validate(cluster, changed, pods, found);
    const ended = endedIn(before.cluster, cluster, isDeleted, deleted);
    const commands = [...keptCommands(before.commands, ended), ...stepCommands(step, cluster, found)];
    for (const { code, message, position, hint } of found.errors()) {
      problems.error(code, `Step "${name}": ${message}`, position, hint);
    }
    if (found.hasErrors) return steps;
    const { after, checks, position } = step;
    steps.push({ name, after, checks, position, ended, commands, cluster: withEarlierCommands(cluster, before.cluster, ended) });
    before = { drafts: changed, cluster, allotments, commands };
  }
  return steps;
}

function deletionKey({ kind, namespace, name }: Pick<DeletionDraft, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

/** Says of a pod if it goes: by itself, with its node, or with its workload. A controller may put another one of the name in its place. */
function deletedPods(cluster: Cluster, deleted: ReadonlySet<string>): (pod: Pod) => boolean {
  if (deleted.size === 0) return () => false;
  const owned = new Set(cluster.workloads.filter((w) => deleted.has(deletionKey(w))).flatMap((w) => w.pods));
  return ({ namespace, name, node, owner }) =>
    deleted.has(deletionKey({ kind: 'Pod', namespace, name })) ||
    deleted.has(deletionKey({ kind: 'Node', namespace: '', name: node })) ||
    (owner !== null && deleted.has(`${owner.kind} ${namespace}/${owner.name}`)) ||
    owned.has(`${namespace}/${name}`);
}

/** A pod that is elsewhere or has another address is another one. */
function endedIn(
  before: Cluster,
  after: Cluster,
  isDeleted: (pod: Pod) => boolean,
  deleted: ReadonlySet<string>,
): readonly Ended[] {
  const pods = new Map(after.pods.map((pod) => [`${pod.namespace}/${pod.name}`, pod]));
  const nodes = new Set(after.nodes.map((node) => node.name));
  const externals = new Set(after.externals.map((external) => external.name));
  const ended: Ended[] = [];
  for (const pod of before.pods) {
    const name = `${pod.namespace}/${pod.name}`;
    if (!isDeleted(pod) && isSame(pod, pods.get(name))) continue;
    ended.push({ name: `pod/${name}`, addresses: pod.hostNetwork ? [] : pod.addresses, hostNetwork: pod.hostNetwork });
  }
  for (const { name, addresses } of before.nodes) {
    if (!nodes.has(name) || deleted.has(`Node /${name}`)) ended.push({ name: `node/${name}`, addresses, hostNetwork: false });
  }
  for (const { name, addresses } of before.externals) {
    if (!externals.has(name) || deleted.has(`External /${name}`))
      ended.push({ name: `external/${name}`, addresses, hostNetwork: false });
  }
  return ended;
}

function isSame(pod: Pod, other: Pod | undefined): boolean {
  return (
    other !== undefined &&
    pod.node === other.node &&
    pod.hostNetwork === other.hostNetwork &&
    pod.addresses.length === other.addresses.length &&
    pod.addresses.every((address, i) => address === other.addresses[i])
  );
}

/** What was done in a namespace ends with it. */
function keptCommands(commands: readonly HostCommand[], ended: readonly Ended[]): readonly HostCommand[] {
  return commands
    .filter(({ host }) => !ended.some(({ name }) => name === host))
    .map(({ host, line }) => ({ host, line: earlier(line) }));
}

function stepCommands(step: StepDraft, cluster: Cluster, problems: Problems): readonly HostCommand[] {
  const hosts = [
    'underlay',
    ...cluster.nodes.map((node) => `node/${node.name}`),
    ...cluster.pods.map((pod) => `pod/${pod.namespace}/${pod.name}`),
    ...cluster.externals.map((external) => `external/${external.name}`),
  ];
  const known = new Set(hosts);
  return step.commands.map((command) => ({ host: hostOf(command, known, problems), line: command.line }));
}

/** Hosts are named as in references; a bare name is a node. */
function hostOf({ host, line }: StepCommandDraft, known: ReadonlySet<string>, problems: Problems): string {
  const [kind = '', ...path] = host === 'underlay' || host.includes('/') ? host.split('/') : ['node', host];
  const full = kind === 'pod' && path.length === 1 ? `pod/default/${path[0]}` : [kind, ...path].join('/');
  if (!known.has(full)) {
    const like = nearest(full, known);
    const hint = like === null ? 'Name a node, pod/NAME, external/NAME or underlay' : `Did you mean "${like}"?`;
    problems.error('unknown-host', `There is no host "${host}" to run a command on`, line.position, hint);
  }
  return full;
}

function earlier(line: CommandLine): CommandLine {
  return { ...line, earlier: true };
}

/** Marks the hosts' own commands that ran before this step. */
function withEarlierCommands(cluster: Cluster, before: Cluster, ended: readonly Ended[]): Cluster {
  const ran = new Set<unknown>([
    ...before.nodes.flatMap((node) => node.commands),
    ...before.pods.flatMap((pod) => pod.commands),
    ...before.externals.flatMap((external) => external.commands),
    ...before.underlay.commands,
  ]);
  const gone = new Set(ended.map(({ name }) => name));
  const mark = <T extends { readonly commands: readonly CommandLine[] }>(owner: T, host: string): T =>
    owner.commands.length === 0 || gone.has(host)
      ? owner
      : { ...owner, commands: owner.commands.map((line) => (ran.has(line) ? earlier(line) : line)) };
  return {
    ...cluster,
    nodes: cluster.nodes.map((node) => mark(node, `node/${node.name}`)),
    pods: cluster.pods.map((pod) => mark(pod, `pod/${pod.namespace}/${pod.name}`)),
    externals: cluster.externals.map((external) => mark(external, `external/${external.name}`)),
    underlay: mark(cluster.underlay, 'underlay'),
  };
}
