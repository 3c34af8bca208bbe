import { printableDeep } from '../printable.ts';
import { finish, wrap } from '../style.ts';
import { clusterPicture } from './cluster-picture.ts';
import { hookPath } from './hook-path.ts';
import { machinePicture } from './machine.ts';
import { chainLines, entranceLines, routeLines } from './tables.ts';
import { count, podName } from './words.ts';
import type { Topology, TopologyDetail, TopologyNode } from '../../trace/topology.ts';
import type { Style } from '../style.ts';

/** Pictures are drawn at least so wide, and no wider than this. */
const MIN_WIDTH = 78;
const MAX_WIDTH = 140;

/** The whole cluster in one picture. Ends with a line break. */
export function clusterText(topology: Topology, style: Style): string {
  const made = printableDeep(topology);
  const width = widthOf(style);
  const { nodes, services } = made.cluster;
  const hints = [
    '─ cable (veth pair, or Ethernet)   ═ network, tunnel',
    `k8snet topology --node ${made.nodes[0]?.name ?? 'NAME'} draws a node in full.`,
  ];
  const lines = [
    ...title(
      'CLUSTER',
      [[count(nodes, 'node'), count(made.cluster.pods, 'pod'), count(services, 'service')].join(', ')],
      made,
      style,
      width,
    ),
    ...rangesOf(made, style, width),
    '',
    ...clusterPicture(made, style, width),
    '',
    ...hints.map((hint) => style.chalk.dim(hint)),
  ];
  return finish(`${lines.join('\n')}\n`, style);
}

/** Each node of the document in full. Ends with a line break. */
export function nodeText(topology: Topology, style: Style): string {
  const made = printableDeep(topology);
  return made.nodes.map((node) => finish(`${nodeLines(node, made, style).join('\n')}\n`, style)).join('\n');
}

function nodeLines(node: TopologyNode, topology: Topology, style: Style): readonly string[] {
  const width = widthOf(style);
  const ranges = node.podCidrs.length === 0 ? [] : [`pods ${node.podCidrs.join(', ')}`];
  return [
    ...title(`NODE ${node.name}`, [node.addresses.join(', '), ...ranges], topology, style, width),
    '',
    ...machinePicture(node, topology, style, width),
    ...withoutNetwork(node, style, width),
    ...(node.detail === null ? [] : detailLines(node.detail, node, style, width)),
  ];
}

/** Where the addresses of services are, other than in rules. */
const WHERE_SERVICES: Readonly<Record<string, string>> = {
  ipvs: 'on kube-ipvs0 of every node',
};

/** What is drawn, its facts, and how the cluster is set up: on as few lines as the width allows. */
function title(
  what: string,
  facts: readonly string[],
  { cluster }: Topology,
  { chalk }: Style,
  width: number,
): readonly string[] {
  const network = `${cluster.cni} · ${cluster.proxyMode === 'none' ? 'no kube-proxy' : `kube-proxy ${cluster.proxyMode}`}`;
  const lines: string[][] = [[]];
  let used = 0;
  for (const part of [what, ...facts, network]) {
    if (used > 0 && used + TITLE_GAP.length + part.length > width) {
      lines.push([]);
      used = 0;
    }
    used += (used > 0 ? TITLE_GAP.length : 0) + part.length;
    lines.at(-1)!.push(part === what ? chalk.bold(part) : part === network ? chalk.dim(part) : part);
  }
  return lines.map((parts) => parts.join(TITLE_GAP));
}

const TITLE_GAP = '   ';

function rangesOf({ cluster }: Topology, { chalk }: Style, width: number): readonly string[] {
  const parts = [
    ...(cluster.podCidrs.length === 0 ? [] : [`pods ${cluster.podCidrs.join(', ')}`]),
    ...(cluster.proxyMode === 'none' || cluster.services === 0
      ? []
      : [
          `services ${cluster.serviceCidrs.join(', ')}: ${WHERE_SERVICES[cluster.proxyMode] ?? 'on no device, only rules know them'}`,
        ]),
  ];
  return wrap(parts.join(' · '), width).map((line) => chalk.dim(line));
}

/** Namespaces in which there is nothing but lo. */
function withoutNetwork({ pods, devices }: TopologyNode, { chalk }: Style, width: number): readonly string[] {
  const linked = new Set(devices.map(({ peer }) => peer?.host));
  const lonely = pods.filter(({ name, hostNetwork }) => !hostNetwork && !linked.has(name)).map(podName);
  if (lonely.length === 0) return [];
  const names = lonely.length > 5 ? `${lonely.slice(0, 5).join(', ')} and ${lonely.length - 5} more` : lonely.join(', ');
  return [
    '',
    ...wrap(`No cable leads to ${names}: nobody gave ${lonely.length === 1 ? 'it' : 'them'} a device.`, width).map((line) =>
      chalk.red(line),
    ),
  ];
}

function detailLines(detail: TopologyDetail, node: TopologyNode, style: Style, width: number): readonly string[] {
  const { chalk } = style;
  const heading = (name: string, what: string): readonly string[] => [
    '',
    ...wrap(`${name}  ${what}`, width).map((line, i) =>
      i === 0 ? chalk.bold(name) + chalk.dim(line.slice(name.length)) : chalk.dim(line),
    ),
  ];
  const chains = chainLines(detail, style, width);
  const routes = routeLines(detail, style, width);
  const entrances = entranceLines(detail, style, width);
  return [
    ...heading('HOOKS', hooksText(detail)),
    ...hookPath(detail, style, width),
    ...(chains.length === 0 ? [] : ['', ...chains]),
    ...heading('ROUTES', 'the longest prefix wins'),
    ...(routes.length === 0 ? ['  none'] : routes),
    ...heading('WAYS IN', `ports of ${node.name} itself`),
    ...(entrances.length === 0 ? ['  none'] : entrances),
  ];
}

function hooksText({ dumps, conntrack, bridgeNetfilter }: TopologyDetail): string {
  return [
    'where netfilter’s rules are asked',
    ...(dumps.length === 0 ? [] : [`rules from ${dumps.join(', ')}`]),
    conntrack ? 'connections are remembered' : 'connections are not remembered (no conntrack)',
    `frames that a bridge passes on ${bridgeNetfilter ? 'go through them too' : 'pass them by'} (bridge-nf-call-iptables=${bridgeNetfilter ? 1 : 0})`,
  ].join('; ');
}

function widthOf({ width }: Style): number {
  return Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH);
}
