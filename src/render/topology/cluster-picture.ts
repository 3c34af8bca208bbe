import { Canvas, cells, cut } from './canvas.ts';
import { balancerText, externalText, named, networkName } from './network-rows.ts';
import { TREE_WIDTH, addressWidth, nameWidth, nodeBox, podWidth } from './node-box.ts';
import { devicesByRole } from './words.ts';
import type { Topology, TopologyNetwork, TopologyNode, TopologyUnderlay } from '../../trace/topology.ts';
import type { Style } from '../style.ts';
import type { NetworkRow } from './network-rows.ts';
import type { BoxLine, NodeBox } from './node-box.ts';

const LEFT = 3;
const GAP = 3;
const MIN_BOX = 33;

/** All nodes side by side, on the switch that they hang on; then what else hangs there. */
export function clusterPicture(topology: Topology, style: Style, width: number): readonly string[] {
  const { networks } = topology.underlay;
  const canvas = new Canvas();
  for (const network of networks) {
    const nodes = topology.nodes.filter((node) => homeOf(node, networks) === network);
    if (nodes.length === 0) continue;
    if (canvas.height > 0) canvas.put(0, canvas.height, '');
    drawNetwork(canvas, topology, network, nodes, width);
  }
  return canvas.lines(style);
}

/** The network of a node's first cable. */
function homeOf(node: TopologyNode, networks: readonly TopologyNetwork[]): TopologyNetwork | undefined {
  const [uplink] = devicesByRole(node).uplinks;
  return networks.find(({ ports }) => ports.some(({ port }) => port === uplink?.peer?.device));
}

function drawNetwork(
  canvas: Canvas,
  topology: Topology,
  network: TopologyNetwork,
  nodes: readonly TopologyNode[],
  width: number,
): void {
  const boxes = nodes.map(nodeBox);
  const room = width - LEFT;
  const perRow = Math.max(1, Math.min(boxes.length, ...fitting(boxes, room)));
  const box = Math.min(Math.max(MIN_BOX, ...boxes.map(({ wanted }) => wanted)), Math.floor((room - (perRow - 1) * GAP) / perRow));
  const top = canvas.height;
  let y = top;
  for (let i = 0; i < boxes.length; i += perRow) {
    y = drawBoxes(canvas, boxes.slice(i, i + perRow), box, y);
    canvas.put(1, y, i === 0 ? '╔' : '╠', 'network');
    const row = boxes.slice(i, i + perRow);
    canvas.across(2, y, row.length * (box + GAP) - GAP + LEFT - 2, '═', 'network');
    for (const c of row.keys()) canvas.put(LEFT + c * (box + GAP) + Math.floor(box / 2), y, '╧', 'network');
    if (i > 0) canvas.down(1, y - heightOf(row), heightOf(row), '║', 'network');
    y++;
  }
  drawMembers(canvas, memberRows(topology, network, nodes), y, width);
}

/** How many boxes stand beside each other: as many as have the room that the widest would like, but at least two where they fit. */
function fitting(boxes: readonly NodeBox[], room: number): readonly number[] {
  const wanted = Math.max(MIN_BOX, ...boxes.map(({ wanted: own }) => own));
  const comfortable = Math.floor((room + GAP) / (wanted + GAP));
  const tight = Math.floor((room + GAP) / (MIN_BOX + GAP));
  return [Math.max(comfortable, Math.min(tight, 2))];
}

function heightOf(boxes: readonly NodeBox[]): number {
  const tallest = (part: (box: NodeBox) => readonly BoxLine[]): number => Math.max(...boxes.map((box) => part(box).length));
  return 2 + tallest(({ pods }) => pods) + tallest(({ tunnels }) => tunnels) + tallest(({ uplinks }) => uplinks);
}

/** Draws a row of boxes of one width; gives the line below them. */
function drawBoxes(canvas: Canvas, boxes: readonly NodeBox[], width: number, y: number): number {
  const height = heightOf(boxes);
  const uplinksY = y + height - 1 - Math.max(...boxes.map(({ uplinks }) => uplinks.length));
  const tunnelsY = uplinksY - Math.max(...boxes.map(({ tunnels }) => tunnels.length));
  boxes.forEach((box, i) => {
    const x = LEFT + i * (width + GAP);
    canvas.box(x, y, width, height, box.title);
    canvas.put(x + Math.floor(width / 2), y + height - 1, '┬', 'frame');
    drawLines(canvas, box, box.pods, x, y + 1, width);
    drawLines(canvas, box, box.uplinks, x, uplinksY, width);
    drawLines(canvas, box, box.tunnels, x, tunnelsY, width);
  });
  boxes.forEach((box, i) => {
    const next = boxes[i + 1];
    box.tunnels.forEach((tunnel, t) => {
      if (next?.tunnels[t]?.name === tunnel.name) drawTunnel(canvas, box, tunnel, LEFT + i * (width + GAP), tunnelsY + t, width);
    });
  });
  return y + height;
}

function drawLines(canvas: Canvas, box: NodeBox, lines: readonly BoxLine[], x: number, y: number, width: number): void {
  const room = width - 4;
  const columns = { device: nameWidth(box), pod: Math.min(podWidth(box), room - TREE_WIDTH - addressWidth(box) - 2) };
  for (const [i, { tree, name, ink, text }] of lines.entries()) {
    const column = tree === '' ? columns.device : columns.pod;
    const at = x + 2 + cells(tree);
    canvas.put(x + 2, y + i, tree, 'frame');
    canvas.put(at, y + i, cut(name, text === '' ? room - cells(tree) : column), ink);
    canvas.put(at + column + 2, y + i, cut(text, Math.max(room - cells(tree) - column - 2, 0)));
  }
}

/** The tunnel goes from device to device, whatever is between them. */
function drawTunnel(canvas: Canvas, box: NodeBox, { text }: BoxLine, x: number, y: number, width: number): void {
  const start = x + 2 + nameWidth(box) + 2 + cells(text) + 1;
  const end = x + width + GAP;
  canvas.across(start, y, end - start + 1, '═', 'tunnel');
  canvas.put(x + width - 1, y, '╪', 'tunnel');
  canvas.put(end, y, '╪', 'tunnel');
}

/** What hangs on a switch beside the nodes that are drawn. */
function memberRows(topology: Topology, network: TopologyNetwork, drawn: readonly TopologyNode[]): readonly NetworkRow[] {
  const { underlay, externals, balancers, overlays, cluster } = topology;
  const nodesHere = network.ports.filter(({ host }) => host.startsWith('node/'));
  const undrawn =
    new Set(nodesHere.map(({ host }) => host)).size -
    nodesHere.filter(({ host }) => drawn.some(({ name }) => host === `node/${name}`)).length;
  const beyond = underlay.networks.filter((other) => other !== network);
  const here = externals.filter((external) => external.network === network.device);
  const behind = externals.filter((external) => external.network === null);
  return [
    { text: networkName(network), ink: 'network' },
    ...overlays.map(
      ({ vni, port, device, by }): NetworkRow => ({
        text: `tunnel ${device}: VXLAN ${vni} over UDP ${port}${by === null ? '' : `, made by ${by}`}`,
        ink: 'tunnel',
      }),
    ),
    ...(undrawn <= 0 ? [] : [{ text: `and ${undrawn} more nodes of ${cluster.nodes}`, ink: 'quiet' } as const]),
    ...named(here, externalText),
    { text: `router ${network.routers.join(', ')}`, ink: 'plain' },
    ...beyond.map((other): NetworkRow => ({ text: `  ${networkName(other)}${membersOf(other)}`, ink: 'plain' })),
    ...named(behind, (external) => `  ${externalText(external)}`),
    ...named(balancers, (balancer) => `  ${balancerText(balancer)}`, 'balancer'),
    ...routeRows(underlay),
    ...underlay.firewall.map((rule): NetworkRow => ({ text: `drops ${rule}`, ink: 'bad' })),
  ];
}

/** The router's routes beyond what hangs on it; what leads to externals and balancers is drawn already, but for tables of their own. */
function routeRows({ routes, moreRoutes }: TopologyUnderlay): readonly NetworkRow[] {
  const shown = routes.filter(({ table, purpose }) => table !== 'main' || !/^(external|balancer)\//.test(purpose));
  return named(
    shown,
    ({ table, text, purpose }) =>
      `  ${text.replace(/ dev \S+/, '')}${table === 'main' ? '' : ` table ${table}`}  ${purpose.replace(/,.*/, '')}`,
    'route',
    moreRoutes,
  );
}

function membersOf({ ports }: TopologyNetwork): string {
  const names = ports.slice(0, 3).map(({ host, device }) => `${host.replace(/^node\//, '')} ${device}`);
  return names.length === 0 ? '' : `: ${names.join(', ')}${ports.length > 3 ? ` and ${ports.length - 3} more` : ''}`;
}

function drawMembers(canvas: Canvas, rows: readonly NetworkRow[], y: number, width: number): void {
  const last = rows.findLastIndex(({ text }) => !text.startsWith(' '));
  rows.forEach(({ text, ink }, i) => {
    const inner = text.startsWith(' ');
    if (i <= last)
      canvas.put(1, y + i, inner || ink === 'network' || ink === 'tunnel' ? '║' : i === last ? '╚═' : '╠═', 'network');
    canvas.put(4, y + i, cut(text, width - 4), ink);
  });
}
