import { cells, widest } from './canvas.ts';
import { containersText, podName, portsText } from './words.ts';
import type { TopologyNode, TopologyPod } from '../../trace/topology.ts';

/** The namespace of a pod as it is drawn beside the host's. */
export interface PodBox {
  /** "pod/default/web-1" */
  readonly host: string;
  readonly title: string;
  /** A frame of its own; false: one line, where there are many. */
  readonly framed: boolean;
  /** The first stands where the cable comes in. */
  readonly lines: readonly string[];
  /** Columns that it would like to have. */
  readonly wanted: number;
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
  return { host: pod.name, title, framed: true, lines: all, wanted: Math.max(widest(all) + 5, cells(title) + 6) };
}

function lineBox(pod: TopologyPod): PodBox {
  const title = podName(pod);
  const addresses = pod.devices.filter(({ kind }) => kind !== 'loopback').flatMap(({ addresses: own }) => own);
  const line = [addresses.join(' '), portsText(pod.listens), ...(pod.ready ? [] : ['not ready'])]
    .filter((part) => part !== '')
    .join('  ');
  return { host: pod.name, title, framed: false, lines: [line], wanted: cells(title) + cells(line) + 5 };
}
