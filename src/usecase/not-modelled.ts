import type { CniConfig, Cluster } from '../kubernetes/model/cluster.ts';
import type { Outcome } from '../trace/outcome.ts';
import type { Branch } from './explore.ts';
import type { Step } from './journey/step.ts';

/**
 * What is given, could decide these connections and is not modelled: policies in the namespaces of the clients and of the pods that
 * are asked for or answered. A trace with such a note is true only without them.
 */
export function notModelledOn(cluster: Cluster, branches: readonly Branch<Step>[], outcomes: readonly Outcome[]): string[] {
  const namespaces = new Set<string>();
  const plans = new Set(branches.flatMap(({ made }) => made.map(({ connection }) => connection)));
  for (const { source, destination } of plans) {
    const [kind, service] = destination.label.split('/');
    if (kind === 'svc') namespaces.add(service!);
    for (const pod of [source.pod, destination.pod]) if (pod) namespaces.add(pod.namespace);
  }
  for (const { server } of outcomes) {
    const [serverKind, namespace] = (server ?? '').split('/');
    if (serverKind === 'pod') namespaces.add(namespace!);
  }
  return cluster.notModelled
    .filter(({ kind, namespace }) => kind.endsWith('NetworkPolicy') && (namespace === '' || namespaces.has(namespace)))
    .map(
      ({ kind, namespace, name }) =>
        `${kind} ${namespace === '' ? name : `${namespace}/${name}`} is not modelled${enforcement(cluster.cni)}`,
    );
}

/** Plugins that enforce no policies make one harmless, which is worth knowing too. */
function enforcement(cni: CniConfig): string {
  const { plugin } = cni;
  const enforcesNone = plugin === 'flannel' || plugin === 'bridge' || (plugin === 'weave' && !cni.npc);
  return enforcesNone ? ` (${plugin} itself enforces none)` : '';
}
