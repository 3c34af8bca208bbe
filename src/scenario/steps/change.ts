import type { DeletionDraft, Drafts, PodDraft, ServiceDraft, StepDraft, TextMap, WorkloadDraft } from '../drafts.ts';
import { overlay } from '../named-list.ts';
import type { Problems } from '../reading/problems.ts';
import { nearest } from '../../support/nearest.ts';

/** A pod that a step adds, changes or takes away, as selectors see it. */
interface TouchedPod {
  readonly namespace: string;
  readonly labels: TextMap;
}

/**
 * What the files say after a step: deletions first, then what is added or changed. Tells of deletions of what is not there.
 * `pods`: all pods there are, by "namespace/name", those that controllers made included, and whether they go.
 */
export function applyStep(
  before: Drafts,
  step: StepDraft,
  pods: ReadonlyMap<string, 'stays' | 'goes'>,
  problems: Problems,
): Drafts {
  for (const deletion of step.deletions) checkDeletion(before, deletion, pods, problems);
  const is = (kind: DeletionDraft['kind'], namespace: string, name: string): boolean =>
    step.deletions.some((d) => d.kind === kind && d.namespace === namespace && d.name === name);
  const { changes } = step;
  const keptPods = before.pods.filter((entry) =>
    'template' in entry ? !is(entry.kind, entry.namespace, entry.name) : pods.get(`${entry.namespace}/${entry.name}`) !== 'goes',
  );
  const services = before.services.filter((service) => !is('Service', service.namespace, service.name));
  const touched = touchedPods(before, keptPods, changes);
  return {
    ...before,
    kubeProxy:
      changes.kubeProxy === undefined ? before.kubeProxy : overlay(before.kubeProxy ?? changes.kubeProxy, changes.kubeProxy),
    kubeProxyObject: changes.kubeProxyObject ?? before.kubeProxyObject,
    underlay: overlay(before.underlay, changes.underlay),
    nodes: merge(
      before.nodes.filter((node) => !is('Node', '', node.name)),
      changes.nodes,
      (node) => node.name,
      overlay,
    ),
    pods: merge(keptPods, changes.pods, keyOf, changePod),
    services: merge(services, changes.services, (service) => `${service.namespace}/${service.name}`, changeService),
    slices: [...keptSlices(before, services, touched, changes, is), ...changes.slices],
    externals: merge(
      before.externals.filter((external) => !is('External', '', external.name)),
      changes.externals,
      (external) => external.name,
      overlay,
    ),
    ingresses: merge(
      before.ingresses.filter((ingress) => !is('Ingress', ingress.namespace, ingress.name)),
      changes.ingresses,
      (ingress) => `${ingress.namespace}/${ingress.name}`,
      overlay,
    ),
    ingressClasses: merge(before.ingressClasses, changes.ingressClasses, ({ name }) => name, overlay),
    externalDns: merge(
      before.externalDns,
      changes.externalDns,
      ({ name }) => name,
      (_, by) => by,
    ),
    notModelled: [...before.notModelled, ...changes.notModelled],
  };
}

type IsDeleted = (kind: DeletionDraft['kind'], namespace: string, name: string) => boolean;

function keyOf(entry: PodDraft | WorkloadDraft): string {
  return `${'template' in entry ? entry.kind : 'Pod'} ${entry.namespace}/${entry.name}`;
}

/** Entries in their order, changed where a change bears their name; new ones behind. */
function merge<T>(
  before: readonly T[],
  changes: readonly T[],
  key: (value: T) => string,
  change: (old: T, by: T) => T,
): readonly T[] {
  if (changes.length === 0) return before;
  const byKey = new Map(changes.map((value) => [key(value), value]));
  const merged = before.map((old) => {
    const by = byKey.get(key(old));
    byKey.delete(key(old));
    return by === undefined ? old : change(old, by);
  });
  return [...merged, ...byKey.values()];
}

function changePod(old: PodDraft | WorkloadDraft, by: PodDraft | WorkloadDraft): PodDraft | WorkloadDraft {
  return 'template' in old || 'template' in by ? by : overlay(old, by);
}

/**
 * A port keeps its node port, as in the API server, unless the type has none any more (patchAllocatedValues). The cloud takes its
 * address back from a service that is no LoadBalancer any more.
 */
function changeService(old: ServiceDraft, by: ServiceDraft): ServiceDraft {
  const merged = overlay(old, by);
  const hasNodePorts = merged.type === 'NodePort' || merged.type === 'LoadBalancer';
  const ports = merged.ports?.map((port) => {
    const given = by.ports?.find((p) => p.port === port.port && p.protocol === port.protocol)?.nodePort;
    const had = old.ports?.find((p) => p.port === port.port && p.protocol === port.protocol)?.nodePort;
    return { ...port, nodePort: given ?? (hasNodePorts ? had : undefined) };
  });
  const loadBalancerIngress = merged.type === 'LoadBalancer' ? merged.loadBalancerIngress : by.loadBalancerIngress;
  return { ...merged, ports, loadBalancerIngress, complete: old.complete === true && by.complete === true };
}

/**
 * Given slices that stay. The endpoint slice controller keeps those of a service with a selector: once a step touches a pod that the
 * selector takes, they are derived anew, unless the step gives them itself.
 */
function keptSlices(
  before: Drafts,
  services: readonly ServiceDraft[],
  touched: readonly TouchedPod[],
  changes: Drafts,
  is: IsDeleted,
): Drafts['slices'] {
  return before.slices.filter(({ slice }) => {
    const { namespace, name, service } = slice;
    if (is('EndpointSlice', namespace, name) || is('Service', namespace, service)) return false;
    if (changes.slices.some(({ slice: s }) => s.namespace === namespace && s.name === name)) return false;
    if (changes.slices.some(({ slice: s }) => s.namespace === namespace && s.service === service)) return true;
    const selector = services.find((s) => s.namespace === namespace && s.name === service)?.selector;
    return selector === undefined || !touched.some((pod) => pod.namespace === namespace && selects(selector, pod.labels));
  });
}

function selects(selector: TextMap, labels: TextMap): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

function touchedPods(before: Drafts, kept: Drafts['pods'], changes: Drafts): readonly TouchedPod[] {
  const still = new Set(kept);
  const changed = new Set(changes.pods.map(keyOf));
  const old = before.pods.filter((entry) => !still.has(entry) || changed.has(keyOf(entry)));
  return [...old, ...changes.pods].map((entry) => ({
    namespace: entry.namespace,
    labels: ('template' in entry ? entry.template.labels : entry.labels) ?? {},
  }));
}

function checkDeletion(before: Drafts, deletion: DeletionDraft, pods: ReadonlyMap<string, unknown>, problems: Problems): void {
  const names = namesOf(before, deletion.kind, pods);
  const wanted = deletion.namespace === '' ? deletion.name : `${deletion.namespace}/${deletion.name}`;
  if (names.includes(wanted)) return;
  const like = nearest(wanted, names);
  const message = `There is no ${deletion.kind} ${wanted} to delete`;
  problems.error('unknown-object', message, deletion.position, like === null ? undefined : `Did you mean "${like}"?`);
}

function namesOf(drafts: Drafts, kind: DeletionDraft['kind'], pods: ReadonlyMap<string, unknown>): readonly string[] {
  const full = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string => `${namespace}/${name}`;
  switch (kind) {
    case 'Node':
      return drafts.nodes.map((node) => node.name);
    case 'External':
      return drafts.externals.map((external) => external.name);
    case 'Service':
      return drafts.services.map(full);
    case 'Ingress':
      return drafts.ingresses.map(full);
    case 'EndpointSlice':
      return drafts.slices.map(({ slice }) => full(slice));
    case 'Pod':
      return [...pods.keys()];
    default:
      return drafts.pods.filter((entry) => 'template' in entry && entry.kind === kind).map(full);
  }
}
