import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadScenario } from '../../../src/scenario/load.ts';
import { engine } from '../../../src/usecase/engine.ts';
import { topologyOf } from '../../../src/usecase/topology/index.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import type { HookName } from '../../../src/trace/event.ts';
import type { Topology, TopologyChain, TopologyDetail, TopologyNode } from '../../../src/trace/topology.ts';
import type { TopologyQuestion } from '../../../src/usecase/topology/index.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A scenario of text; files that it names are looked for from the root of the repository. */
export function scenarioOf(text: string, name = join(ROOT, 'cluster.yaml')): Scenario {
  const readFile = (path: string, relativeTo: string): string | null => {
    const full = join(dirname(relativeTo), path);
    return existsSync(full) ? readFileSync(full, 'utf8') : null;
  };
  const loaded = loadScenario([{ name, text }], { readFile });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  return loaded.scenario;
}

/** A scenario of the gallery: "tutorial". */
export function gallery(name: string): Scenario {
  const file = join(ROOT, 'scenarios', `${name}.yaml`);
  return scenarioOf(readFileSync(file, 'utf8'), file);
}

export function made({ cluster }: Scenario, question: TopologyQuestion = { node: null }): Topology {
  const result = topologyOf(cluster, question, engine);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.topology;
}

/** The first node of a topology, or the one of that name. */
export function nodeIn({ nodes }: Topology, name = nodes[0]?.name): TopologyNode {
  const node = nodes.find((candidate) => candidate.name === name);
  if (!node) throw new Error(`no node ${name}`);
  return node;
}

export function detailIn(topology: Topology, name?: string): TopologyDetail {
  const { detail } = nodeIn(topology, name);
  if (detail === null) throw new Error('no detail');
  return detail;
}

/** What hangs on a hook, in order. */
export function chainsAt({ hooks }: TopologyDetail, hook: HookName): readonly TopologyChain[] {
  return hooks.find((candidate) => candidate.hook === hook)?.chains ?? [];
}
