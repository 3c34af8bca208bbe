import { loadScenario } from '../../src/scenario/load.ts';
import type { Cluster } from '../../src/kubernetes/model/cluster.ts';

/** The cluster that a scenario text describes; throws when it has errors. */
export function loadCluster(text: string): Cluster {
  const result = loadScenario([{ name: 'scenario.yaml', text }], { readFile: () => null });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.scenario.cluster;
}
