import { cells, widest } from './canvas.ts';
import { containersText, podName, portsText } from './words.ts';
import type { TopologyNode, TopologyPod } from '../../trace/topology.ts';

/** The namespace of a pod as it is drawn beside the host's. */
export interface PodBox {
  /** "pod/default/web-1" */
  readonly host: string;
  /** Its name; of a line the addresses, which must not be cut. */
  readonly title: string;
  /** A frame of its own; false: one line, where there are many. */
  readonly framed: boolean;
  /** The first stands where the cable comes in. */
  readonly lines: readonly string[];
  /** Columns that it takes where lines may be broken, and that it would like to have. */
  readonly least: number;
  readonly best: number;
}

/** More pods than that get a line each. */
const FRAMED_PODS = 8;

/** Boxes for the pods of a node that have a namespace with a network of their own. */
export function podBoxes({ pods }: TopologyNode): readonly PodBox[] {
  const own = pods.filter(({ hostNetwork }) => !hostNetwork);
  const framed = own.length <= FRAMED_PODS;
  return own.map((pod) => (framed ? framedBox(pod) : lineBox(pod)));
}

function framedBox(pod: TopologyPod): PodBox {
  const title = podName(pod);
  const cables = pod.devices.filter(({ kind }) => kind !== 'loopback');
  const lines = cables.flatMap(({ name, addresses, mtu, up }) => [
    [name, addresses[0] ?? 'no address'].join('  '),
    ...addresses.slice(1),
    ...(up ? [] : ['down']),
    `MTU ${mtu}`,
  ]);
  const ports = portsText(pod.listens);
  const below = [...(ports === '' ? [] : [`listens on ${ports}`]), ...(pod.ready ? [] : ['not ready']), containersText(pod)];
  const all = [...lines, ...below];
  const least = Math.max(widest(lines) + 5, cells(title) + 6);
  return { host: pod.name, title, framed: true, lines: all, least, best: Math.max(least, widest(below) + 5) };
}

function lineBox(pod: TopologyPod): PodBox {
  const addresses = pod.devices.filter(({ kind }) => kind !== 'loopback').flatMap(({ addresses: own }) => own);
  const facts = [podName(pod).replace(/^pod\//, ''), portsText(pod.listens), ...(pod.ready ? [] : ['not ready'])].filter(
    (part) => part !== '',
  );
  const [title, line] = [addresses.join(' '), facts.join('  ')];
  const width = cells(title) + cells(line) + 5;
  return { host: pod.name, title, framed: false, lines: [line], least: width, best: width };
}
