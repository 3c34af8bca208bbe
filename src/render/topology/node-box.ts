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

/** What stands before a pod's name. */
export const TREE_WIDTH = 4;
/** Longer names don't make a box wider. */
const LONG_NAME = 32;
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
      ...deviceLines(bridge, bridge.addresses),
      ...tree(own.filter(({ name }) => ports.some(({ peer }) => peer?.host === name))),
    ]),
    ...cables.flatMap((cable) => deviceLines(cable, cable.addresses)),
    ...(others.length === 0
      ? []
      : [heading(count(others.length, 'pod'), cables.length > 0 ? '' : 'without a network'), ...tree(others)]),
    ...(guests.length === 0 ? [] : [heading('host', 'pods in its namespace'), ...tree(guests)]),
    ...dummies.map((dummy) => deviceLine(dummy, dummyText(dummy))),
  ];
  const box = {
    title: node.name,
    pods,
    tunnels: tunnels.map((tunnel) => deviceLine(tunnel, bare(tunnel.addresses).join(' '))),
    uplinks: uplinks.flatMap((uplink) => deviceLines(uplink, uplink.addresses)),
  };
  const lines = [...box.pods, ...box.tunnels, ...box.uplinks];
  const devices = nameWidth(box) + 2 + widest(lines.filter(isDevice).map(({ text }) => text));
  const branches =
    TREE_WIDTH +
    Math.min(podWidth(box), LONG_NAME) +
    2 +
    widest(box.pods.filter((line) => !isDevice(line)).map(({ text }) => text));
  return { ...box, wanted: Math.max(devices, branches, cells(node.name) + 2) + 4 };
}

function isDevice({ tree }: BoxLine): boolean {
  return tree === '';
}

/** Columns of the device names of a box. */
export function nameWidth({ pods, tunnels, uplinks }: Pick<NodeBox, 'pods' | 'tunnels' | 'uplinks'>): number {
  return widest([...pods, ...tunnels, ...uplinks].filter(({ tree }) => tree === '').map(({ name }) => name));
}

/** Columns of the pods' names, so that their addresses stand under each other. */
export function podWidth({ pods }: Pick<NodeBox, 'pods'>): number {
  return widest(pods.filter(({ tree, text }) => tree !== '' && text !== '').map(({ name }) => name));
}

/** Columns of what is said of the pods, which is never cut for the sake of names. */
export function addressWidth({ pods }: Pick<NodeBox, 'pods'>): number {
  return widest(pods.filter((line) => !isDevice(line)).map(({ text }) => text));
}

/** A device with its addresses below each other. */
function deviceLines(device: TopologyDevice, addresses: readonly string[]): readonly BoxLine[] {
  const [first = '', ...rest] = addresses;
  return [deviceLine(device, first), ...rest.map((text): BoxLine => ({ tree: '', name: '', ink: 'plain', text }))];
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

/** Virtual addresses are many. */
function dummyText({ addresses }: TopologyDevice): string {
  return addresses.length <= 1 ? bare(addresses).join('') : count(addresses.length, 'address', 'addresses');
}

function heading(name: string, text: string): BoxLine {
  return { tree: '', name, ink: 'quiet', text };
}

function tree(pods: readonly TopologyPod[]): readonly BoxLine[] {
  const shown = pods.length <= NAMED_PODS + 1 ? pods : pods.slice(0, NAMED_PODS);
  const rest = pods.length - shown.length;
  const more: BoxLine = { tree: ' └─ ', name: `and ${rest} more pods`, ink: 'quiet', text: '' };
  return [...shown.flatMap((pod, i) => podLines(pod, rest === 0 && i === shown.length - 1)), ...(rest === 0 ? [] : [more])];
}

function podLines(pod: TopologyPod, last: boolean): readonly BoxLine[] {
  const { devices, listens, ready } = pod;
  const addresses = bare(devices.filter(({ kind }) => kind !== 'loopback').flatMap(({ addresses: own }) => own));
  const first = [...addresses.slice(0, 1), portsBrief(listens), ready ? '' : 'not ready'].filter((text) => text !== '').join(' ');
  return [
    { tree: last ? ' └─ ' : ' ├─ ', name: podName(pod).replace(/^pod\//, ''), ink: 'name', text: first },
    ...addresses.slice(1).map((text): BoxLine => ({ tree: last ? '    ' : ' │  ', name: '', ink: 'plain', text })),
  ];
}
