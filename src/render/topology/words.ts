import { MOST_COUNTED } from '../../trace/topology.ts';
import type { TopologyDevice, TopologyNode, TopologyPod, TopologySocket, TopologyTunnel } from '../../trace/topology.ts';
import { shortName } from '../text/names.ts';

/** "1 pod", "3 pods". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** How many rules stand behind others: "12", or "100000 or more" in a few characters. */
export function behindText(behind: number): string {
  return behind >= MOST_COUNTED ? `${MOST_COUNTED}…` : String(behind);
}

/** "tcp 8080, 9090, udp 53"; '' for none. */
export function portsText(sockets: readonly TopologySocket[]): string {
  return sockets
    .map(({ protocol, port }, i) => (protocol === sockets[i - 1]?.protocol ? port : `${protocol} ${port}`))
    .join(', ');
}

/** ":8080 :53/udp" for narrow places; tcp goes without saying. */
export function portsBrief(sockets: readonly TopologySocket[]): string {
  return sockets.map(({ protocol, port }) => `:${port}${protocol === 'tcp' ? '' : `/${protocol}`}`).join(' ');
}

/** "containers pause, web-1, sidecar", "container web". */
export function containersText({ pause, containers }: TopologyPod): string {
  const all = [...(pause ? ['pause'] : []), ...containers];
  return `${all.length === 1 ? 'container' : 'containers'} ${all.join(', ')}`;
}

/** "VNI 1, UDP 8472". */
export function tunnelText({ vni, port }: TopologyTunnel): string {
  return `VNI ${vni}, UDP ${port}`;
}

/** What a device is in a word; '' where its name says it. */
export function kindText({ kind, up, tunnel, by }: TopologyDevice): string {
  const word = tunnel ? 'VXLAN' : kind === 'bridge' ? kind : kind === 'dummy' ? (by === 'underlay' ? 'no cable' : kind) : '';
  return [...(word === '' ? [] : [word]), ...(up || kind === 'dummy' ? [] : ['down'])].join(', ');
}

/** The first two of some texts, and how many more there are: virtual addresses are many and alike. */
export function fewTexts(texts: readonly string[]): string {
  const shown = texts.slice(0, 2).join(', ');
  return texts.length > 3 ? `${shown} and ${texts.length - 2} more` : texts.join(', ');
}

/** Addresses without their prefix lengths. */
export function bare(addresses: readonly string[]): readonly string[] {
  return addresses.map((address) => address.replace(/\/\d+$/, ''));
}

/** A pod as people name it; under Docker a container. */
export function podName({ name }: TopologyPod): string {
  return shortName(name);
}

/** How devices of a node are drawn: bridges with what hangs on them, and the others by where they lead. */
export interface NodeDevices {
  readonly bridges: readonly { readonly bridge: TopologyDevice; readonly ports: readonly TopologyDevice[] }[];
  readonly tunnels: readonly TopologyDevice[];
  /** kube-ipvs0 and the like: they lead nowhere. */
  readonly dummies: readonly TopologyDevice[];
  /** Cables to the underlay. */
  readonly uplinks: readonly TopologyDevice[];
  /** Cables that hang on no bridge and lead to pods, or to the node itself. */
  readonly cables: readonly TopologyDevice[];
}

/** Sorts a node's devices; the loopback device is left out. */
export function devicesByRole({ devices }: TopologyNode): NodeDevices {
  const free = devices.filter(({ master }) => master === null || !devices.some(({ name }) => name === master));
  const veths = free.filter(({ kind }) => kind === 'veth');
  return {
    bridges: free
      .filter(({ kind }) => kind === 'bridge')
      .map((bridge) => ({ bridge, ports: devices.filter(({ master }) => master === bridge.name) })),
    tunnels: free.filter(({ tunnel }) => tunnel !== null),
    dummies: free.filter(({ kind }) => kind === 'dummy'),
    uplinks: veths.filter(({ peer }) => peer?.host === 'underlay'),
    cables: veths.filter(({ peer }) => peer?.host !== 'underlay'),
  };
}
