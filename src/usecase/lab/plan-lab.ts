import { compile } from '../../kubernetes/compile.ts';
import { withoutCommands } from '../laboratory.ts';
import { agentHosts, vxlanPort } from './agent-hosts.ts';
import { LabError } from './lab-error.ts';
import { labScript } from './script/index.ts';
import type { CompileOptions } from '../../kubernetes/compile.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { AgentHost } from './agent-hosts.ts';
import type { LabName } from './names.ts';

/** Everything that is needed to build a lab and to measure in it. */
export interface LabPlan {
  readonly name: LabName;
  readonly script: string;
  readonly hosts: readonly AgentHost[];
  /** UDP port of tunnels; null: there are none. */
  readonly vxlanPort: number | null;
}

export interface LabOptions extends Pick<CompileOptions, 'unhealthy'> {
  readonly name: LabName;
  /** Nobody knows any neighbour yet. */
  readonly coldNeighbours: boolean;
  /** Servers run in the script's own processes; else the measuring process has them. */
  readonly listeners: boolean;
}

/**
 * Plans the lab of a cluster.
 * @throws LabError for what can't be built from network namespaces
 */
export function planLab(cluster: Cluster, { name, coldNeighbours, listeners, unhealthy }: LabOptions): LabPlan {
  const compiled = compile(withoutCommands(cluster), { coldNeighbours, ...(unhealthy && { unhealthy }) });
  if (!compiled.ok) throw new LabError(compiled.problems.map(({ message }) => message).join('\n'));
  const { world } = compiled;
  return {
    name,
    script: labScript(name, cluster, world, { listeners }),
    hosts: agentHosts(name, cluster, world),
    vxlanPort: vxlanPort(world),
  };
}
