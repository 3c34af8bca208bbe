import { addCommands } from './commands.ts';
import { generateCluster } from './cluster.ts';
import { addProbes } from './probes.ts';
import { Random } from './random.ts';
import type { ClusterDraft } from './cluster.ts';

/** Random cluster, commands and connections of a seed. */
export function generateCase(seed: number, probes: number): ClusterDraft {
  const random = new Random(seed);
  const draft = generateCluster(random);
  addCommands(random, draft);
  addProbes(random, draft, probes);
  return draft;
}
