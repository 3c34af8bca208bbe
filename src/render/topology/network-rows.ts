import { shortName } from '../text/names.ts';
import { count, portsText } from './words.ts';
import type {
  Topology,
  TopologyBalancer,
  TopologyDevice,
  TopologyExternal,
  TopologyNetwork,
  TopologyPort,
} from '../../trace/topology.ts';
import type { Ink } from './canvas.ts';

/** What hangs on the switch that a node's interface leads to. */
export interface NetworkRow {
  readonly text: string;
  readonly ink: Ink;
}

/** Hosts of one switch that are named. */
const NAMED = 5;

/** The switch behind an uplink, its router, the other hosts on it, and those behind the router. */
export function networkRows(topology: Topology, uplink: TopologyDevice, self: string): readonly NetworkRow[] {
  const { underlay, externals } = topology;
  const network = underlay.networks.find(({ ports }) => ports.some(({ port }) => port === uplink.peer?.device));
  if (network === undefined) return [{ text: 'no switch', ink: 'bad' }];
  const others = network.ports.filter(({ host }) => host !== self && host.startsWith('node/'));
  const here = externals.filter((external) => external.network === network.device);
  const beyond = underlay.networks.filter((other) => other !== network);
  const behind = externals.filter((external) => external.network === null);
  return [
    { text: ['switch', network.name, network.ranges[0]].filter((word) => word != null).join(' '), ink: 'network' },
    ...network.ranges.slice(1).map((text): NetworkRow => ({ text: `  ${text}`, ink: 'network' })),
    { text: `router ${network.routers[0] ?? ''}`, ink: 'plain' },
    ...network.routers.slice(1).map((text): NetworkRow => ({ text: `  ${text}`, ink: 'plain' })),
    ...beyond.map((other): NetworkRow => ({ text: `  ${networkName(other)}`, ink: 'quiet' })),
    ...named(behind, (external) => `  ${externalBrief(external)}`),
    ...named(others, portText, 'node'),
    ...named(here, externalBrief),
  ];
}

/** "node-2 192.168.0.12", "node-2 eth1 10.0.2.15" */
export function portText({ host, device, addresses }: TopologyPort): string {
  return [shortName(host), ...(device === 'eth0' ? [] : [device]), ...addresses.slice(0, 1)].join(' ');
}

/** "switch 192.168.0.0/24", "switch lan 10.0.2.0/24". */
export function networkName({ name, ranges }: TopologyNetwork): string {
  return ['switch', ...(name === null ? [] : [name]), ranges.join(', ')].join(' ');
}

/** "external/laptop 203.0.113.9, tcp 443" */
export function externalText({ name, addresses, listens }: TopologyExternal): string {
  return [`external/${name} ${addresses.join(', ')}`, ...(listens.length > 0 ? [portsText(listens)] : [])].join(', ');
}

/** "balancer/shop/web 203.0.113.128, tcp 80, to node ports" */
export function balancerText({ host, addresses, mode, listens }: TopologyBalancer): string {
  const how = mode === 'direct' ? 'straight to nodes' : 'to node ports';
  return [`${host} ${addresses.join(', ')}`, ...(listens.length > 0 ? [portsText(listens)] : []), how].join(', ');
}

function externalBrief({ name, addresses }: TopologyExternal): string {
  return `external/${name} ${addresses[0] ?? ''}`;
}

/** Each of a few things, or the first few and how many more; `unlisted` are those that there are beside the items. */
export function named<T>(items: readonly T[], text: (item: T) => string, one = 'host', unlisted = 0): readonly NetworkRow[] {
  const shown = items.length <= NAMED + 1 ? items : items.slice(0, NAMED);
  const rest = items.length - shown.length + unlisted;
  return [
    ...shown.map((item): NetworkRow => ({ text: text(item), ink: 'plain' })),
    ...(rest === 0 ? [] : [{ text: `and ${count(rest, `more ${one}`)}`, ink: 'quiet' } as const]),
  ];
}
