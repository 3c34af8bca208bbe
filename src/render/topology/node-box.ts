import { cells, widest } from './canvas.ts';
import { bare, count, devicesByRole, podName, portsBrief } from './words.ts';
import type { TopologyDevice, TopologyNode, TopologyPod } from '../../trace/topology.ts';
import type { Ink } from './canvas.ts';

/** A line of a node's box in the picture of a cluster. */
export interface BoxLine {
  /** The tree in front of a pod. */
  readonly tree: string;
  readonly name: string;
  readonly ink: Ink;
  readonly text: string;
}

/** A node as it is drawn among others: three parts, so that the same parts of neighbours stand on one line. */
export interface NodeBox {
  readonly title: string;
  readonly pods: readonly BoxLine[];
  readonly tunnels: readonly BoxLine[];
  readonly uplinks: readonly BoxLine[];
  /** Columns that it would like to have. */
  readonly wanted: number;
}

/** Pods of a node that are named. */
const NAMED_PODS = 5;

export function nodeBox(node: TopologyNode): NodeBox {
  const { bridges, tunnels, dummies, uplinks, cables } = devicesByRole(node);
  const own = node.pods.filter(({ hostNetwork }) => !hostNetwork);
  const onBridges = new Set(bridges.flatMap(({ ports }) => ports.map(({ peer }) => peer?.host)));
  const guests = node.pods.filter(({ hostNetwork }) => hostNetwork);
  const others = own.filter(({ name }) => !onBridges.has(name));
  const pods = [
    ...bridges.flatMap(({ bridge, ports }) => [
      deviceLine(bridge, bridge.addresses.join(' ')),
      ...tree(own.filter(({ name }) => ports.some(({ peer }) => peer?.host === name))),
    ]),
    ...cables.map((cable) => deviceLine(cable, cable.addresses.join(' '))),
    ...(others.length === 0
      ? []
      : [heading(count(others.length, 'pod'), cables.length > 0 ? '' : 'without a network'), ...tree(others)]),
    ...(guests.length === 0 ? [] : [heading('host', 'pods in its namespace'), ...tree(guests)]),
    ...dummies.map((dummy) => deviceLine(dummy, count(dummy.addresses.length, 'address', 'addresses'))),
  ];
  const box = {
    title: node.name,
    pods,
    tunnels: tunnels.map((tunnel) => deviceLine(tunnel, bare(tunnel.addresses).join(' '))),
    uplinks: uplinks.map((uplink) => deviceLine(uplink, uplink.addresses.join(' '))),
  };
  const lines = [...box.pods, ...box.tunnels, ...box.uplinks];
  const name = nameWidth(box);
  const wanted = Math.max(
    widest(lines.filter(({ tree }) => tree === '').map(({ text }) => text)) + name + 2,
    widest(lines.filter(({ tree }) => tree !== '').map((line) => line.tree + line.name + line.text)) + treeNameGap(box),
    cells(node.name) + 4,
  );
  return { ...box, wanted: wanted + 6 };
}

/** Columns of the device names of a box. */
export function nameWidth({ pods, tunnels, uplinks }: Pick<NodeBox, 'pods' | 'tunnels' | 'uplinks'>): number {
  return widest([...pods, ...tunnels, ...uplinks].filter(({ tree }) => tree === '').map(({ name }) => name));
}

/** Columns of the pods' names, so that their addresses stand under each other. */
export function podWidth({ pods }: Pick<NodeBox, 'pods'>): number {
  return widest(pods.filter(({ tree, text }) => tree !== '' && text !== '').map(({ name }) => name));
}

function treeNameGap(box: Pick<NodeBox, 'pods'>): number {
  const named = box.pods.filter(({ tree }) => tree !== '');
  return named.reduce((gap, { name, text }) => Math.max(gap, text === '' ? 0 : podWidth(box) - cells(name)), 0) + 2;
}

function deviceLine(device: TopologyDevice, text: string): BoxLine {
  const down = !device.up && device.kind !== 'dummy';
  return {
    tree: '',
    name: device.name,
    ink: down ? 'bad' : device.tunnel ? 'tunnel' : 'device',
    text: down ? `${text} down` : text,
  };
}

function heading(name: string, text: string): BoxLine {
  return { tree: '', name, ink: 'quiet', text };
}

function tree(pods: readonly TopologyPod[]): readonly BoxLine[] {
  const shown = pods.length <= NAMED_PODS + 1 ? pods : pods.slice(0, NAMED_PODS);
  const rest = pods.length - shown.length;
  const lines = shown.map((pod) => ({ name: podName(pod), ink: 'name' as const, text: podText(pod) }));
  const all = rest === 0 ? lines : [...lines, { name: `and ${rest} more pods`, ink: 'quiet' as const, text: '' }];
  return all.map((line, i) => ({ tree: i < all.length - 1 ? ' ├─ ' : ' └─ ', ...line }));
}

function podText({ devices, listens, ready }: TopologyPod): string {
  const addresses = bare(devices.filter(({ kind }) => kind !== 'loopback').flatMap(({ addresses: own }) => own));
  return [addresses.join(' '), portsBrief(listens), ready ? '' : 'not ready'].filter((text) => text !== '').join(' ');
}
