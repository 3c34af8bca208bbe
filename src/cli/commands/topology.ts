import { Option } from 'commander';
import { jsonParts } from '../../render/json.ts';
import { topologyMermaid } from '../../render/topology/mermaid.ts';
import { clusterText, nodeText } from '../../render/topology/text.ts';
import { engine } from '../../usecase/engine.ts';
import { topologyOf } from '../../usecase/topology/index.ts';
import { InputError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, withCommonOptions } from '../options.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { outputStyle } from '../terminal.ts';
import type { Command } from 'commander';
import type { Scenario } from '../../scenario/scenario.ts';
import type { Topology } from '../../trace/topology.ts';
import type { TopologyQuestion } from '../../usecase/topology/index.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import type { Act, CommandResult } from '../program.ts';

interface TopologyCommandOptions extends CommonOptions {
  readonly node?: string;
  readonly output: 'text' | 'json' | 'mermaid';
}

export function addTopologyCommand(program: Command, io: Io, act: Act): void {
  withCommonOptions(program.command('topology'))
    .summary('draw the network of the cluster, or of one node')
    .description(
      'Draws the network before any packet moves: nodes with their bridges, tunnels and pods on the switch between them. With --node, one node\n' +
        'in full: namespaces, devices and cables, the five hooks with their rules and whose these are, routes, ways in. FILE: as for trace;\n' +
        'none: the bundled tutorial.',
    )
    .argument('[FILE...]', 'input')
    .option('--node <name>', 'this node in full (default: the whole cluster; a lone node always in full)')
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json', 'mermaid']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action((files: readonly string[], options: TopologyCommandOptions) => act(() => topology(files, options, io)));
}

async function topology(args: readonly string[], options: TopologyCommandOptions, io: Io): Promise<CommandResult> {
  const { cluster } = await scenarioFrom(fileNames(args, options), io);
  const result = topologyOf(cluster, question(cluster, options), engine);
  if (!result.ok) throw new InputError(result.diagnostics);
  return { stdout: textOf(result.topology, cluster, options, io), exitCode: EXIT.yes };
}

/** Nodes that a picture of a whole cluster draws; one or two more are drawn than summed up. */
const DRAWN_NODES = 6;

function question(cluster: Scenario['cluster'], { node, output }: TopologyCommandOptions): TopologyQuestion {
  if (isOfNode(cluster, node) && output === 'text') return { node: node ?? cluster.nodes[0]!.name };
  if (node !== undefined || output === 'json') return { node: node ?? null };
  const nodes = cluster.nodes.length <= DRAWN_NODES + 2 ? cluster.nodes.length : DRAWN_NODES;
  return { node: null, limit: { nodes, detailed: 0 } };
}

/** A picture of a lone node is that of the cluster. */
function isOfNode(cluster: Scenario['cluster'], node: string | undefined): boolean {
  return node !== undefined || cluster.nodes.length === 1;
}

function textOf(made: Topology, cluster: Scenario['cluster'], options: TopologyCommandOptions, io: Io): CommandResult['stdout'] {
  switch (options.output) {
    case 'json':
      return jsonParts(made);
    case 'mermaid':
      return topologyMermaid(made);
    case 'text': {
      const style = outputStyle(io, colourChoice(options));
      return isOfNode(cluster, options.node) ? nodeText(made, style) : clusterText(made, style);
    }
  }
}

const EXAMPLES = `
Examples:
  k8snet topology                                                  the bundled tutorial
  k8snet topology scenarios/tutorial.yaml --node node-1            a node in full
  k8snet topology scenarios/basics-21-docker.yaml                  a host with docker0
  k8snet topology scenarios/tutorial.yaml -o mermaid               for a wiki
`;
