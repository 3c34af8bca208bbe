import { networkRows } from './network-rows.ts';
import { bare, count, devicesByRole, fewTexts, kindText, podName, portsText, tunnelText } from './words.ts';
import type { Topology, TopologyDevice, TopologyNode, TopologyPod } from '../../trace/topology.ts';
import type { Ink } from './canvas.ts';
import type { NetworkRow } from './network-rows.ts';
import type { PodBox } from './pod-box.ts';

/** A device or a process inside the host's box. */
export interface HostRow {
  /** On the IP stack, or on the bridge above it. */
  readonly hangs: 'stack' | 'bridge';
  /** The bus of a bridge goes on below. */
  readonly bus: boolean;
  readonly name: string;
  readonly ink: Ink;
  readonly text: string;
  /** Lines below it. */
  readonly below: readonly string[];
  /** What its cable leads to, outside of the box. */
  readonly cable: Cable | null;
}

export type Cable =
  | { readonly to: 'pod'; readonly box: PodBox }
  | { readonly to: 'network'; readonly rows: readonly NetworkRow[] };

/** Processes of the host's namespace that are named. */
const NAMED_PROCESSES = 6;

/** All devices of a node from its pods down to its cables, each with what it leads to. */
export function hostRows(node: TopologyNode, topology: Topology, boxes: readonly PodBox[]): readonly HostRow[] {
  const { bridges, tunnels, dummies, uplinks, cables } = devicesByRole(node);
  const byHost = new Map(boxes.map((box) => [box.host, box]));
  const toPod = ({ peer }: TopologyDevice): Cable | null => {
    const box = peer && byHost.get(peer.host);
    return box ? { to: 'pod', box } : null;
  };
  return [
    ...bridges.flatMap(({ bridge, ports }) => [
      onStack(bridge, { ...addressesOf(bridge, bridgeFacts(bridge, node)), bus: ports.length > 0 }),
      ...ports.map((port, i) => onBridge(port, bridge, i < ports.length - 1, toPod(port))),
    ]),
    ...cables.map((cable) =>
      onStack(cable, { ...addressesOf(cable, [factsOf(cable), ...otherEnd(cable, node)]), cable: toPod(cable) }),
    ),
    ...processes(node.pods.filter(({ hostNetwork }) => hostNetwork)),
    ...dummies.map((dummy) => onStack(dummy, { text: fewTexts(bare(dummy.addresses)), below: [factsOf(dummy)] })),
    ...tunnels.map((tunnel) => onStack(tunnel, addressesOf(tunnel, [factsOf(tunnel), ...tunnelFacts(tunnel)]))),
    ...uplinks.map((uplink) =>
      onStack(uplink, {
        ...addressesOf(uplink, [[factsOf(uplink), ...(uplink.mac === null ? [] : [uplink.mac])].join(', ')]),
        cable: { to: 'network', rows: networkRows(topology, uplink, `node/${node.name}`) },
      }),
    ),
  ];
}

function onStack(device: TopologyDevice, more: Pick<HostRow, 'text' | 'below'> & Partial<HostRow>): HostRow {
  const ink = !device.up && device.kind !== 'dummy' ? 'bad' : device.tunnel ? 'tunnel' : 'device';
  return { hangs: 'stack', bus: false, name: device.name, ink, cable: null, ...more };
}

/** The first address stands beside the name, the others below it, and then the facts. */
function addressesOf({ addresses }: TopologyDevice, facts: readonly string[]): Pick<HostRow, 'text' | 'below'> {
  const [text = '', ...rest] = addresses;
  return { text, below: [...rest, ...facts] };
}

/** Of a port only what its bridge does not say already. */
function onBridge(port: TopologyDevice, bridge: TopologyDevice, bus: boolean, cable: Cable | null): HostRow {
  const facts = [...(port.up ? [] : ['down']), ...(port.mtu === bridge.mtu ? [] : [`MTU ${port.mtu}`]), ...port.addresses];
  return { hangs: 'bridge', bus, name: port.name, ink: port.up ? 'device' : 'bad', text: facts.join(', '), below: [], cable };
}

/** Pods without a namespace of their own are processes of the host's. */
function processes(pods: readonly TopologyPod[]): readonly HostRow[] {
  const shown = pods.length <= NAMED_PROCESSES + 1 ? pods : pods.slice(0, NAMED_PROCESSES);
  const rest = pods.length - shown.length;
  const rows = [
    ...shown.map((pod) => ({ name: podName(pod), text: portsText(pod.listens) })),
    ...(rest === 0 ? [] : [{ name: `and ${count(rest, 'more pod')}`, text: '' }]),
  ];
  return rows.map((row, i) => ({
    hangs: 'stack',
    bus: false,
    ink: 'name',
    below: i === rows.length - 1 ? ['hostNetwork: no namespace of its own'] : [],
    cable: null,
    ...row,
  }));
}

function factsOf(device: TopologyDevice): string {
  const maker = device.by === null || device.by === 'underlay' ? [] : [`made by ${device.by}`];
  return [kindText(device), `MTU ${device.mtu}`, ...maker].filter((fact) => fact !== '').join(', ');
}

/** A pair may join two devices of one namespace. */
function otherEnd({ peer }: TopologyDevice, { name }: TopologyNode): readonly string[] {
  return peer?.host === `node/${name}` ? [`pair with ${peer.device}`] : [];
}

/** A bridge with an address is where its pods send what is not for their own network. */
function bridgeFacts(bridge: TopologyDevice, { pods }: TopologyNode): readonly string[] {
  const gateways = bare(bridge.addresses).map((address) => `default via ${address} `);
  const isGateway = pods.some(({ routes }) => routes.some((route) => gateways.some((start) => `${route} `.startsWith(start))));
  return [factsOf(bridge), ...(isGateway ? ['gateway of its pods'] : [])];
}

function tunnelFacts({ tunnel }: TopologyDevice): readonly string[] {
  if (tunnel === null) return [];
  return [`wraps frames: ${tunnelText(tunnel)}`, ...(tunnel.lower === null ? [] : [`wrapped packets leave by ${tunnel.lower}`])];
}
