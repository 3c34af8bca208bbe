import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { IpSet } from '../../kernel/ipset/ipset.ts';
import type { Device } from '../../kernel/device/device.ts';
import type { FdbEntry } from '../../kernel/device/fdb.ts';
import type { NeighbourEntry } from '../../kernel/neighbour/neighbour.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { RoutingTable } from '../../kernel/routing/route.ts';
import type { ChainRules } from '../add-rules.ts';
import type { ClusterIndex } from '../cluster-index.ts';
import type { Node, Pod } from '../model/cluster.ts';

/** What a CNI plugin and its daemon do to a cluster: one implementation a folder beside this file. */
export interface CniMode {
  /** Devices, routes and tables of a node. */
  node(node: Node): NodeNetwork;
  /** eth0 of a pod that has a namespace of its own; null when the plugin gives it none. */
  pod(pod: Pod): PodNetwork | null;
  /** Rules of iptables (4) or ip6tables (6) that the plugin or its daemon appends on a node when it starts. */
  rules(node: Node, family: IpFamily): readonly ChainRules[];
  /** Routes that the network between the nodes gets (a cloud's route table, or an administrator's). */
  underlayRoutes(): readonly UnderlayRoute[];
  /** What the portmap plugin is told; null: the mode has no host ports or serves them itself. */
  readonly portmap: Portmap | null;
  /** Sets that the rules name; left out: none. */
  readonly ipsets?: (node: Node) => readonly IpSet[];
  /** Addresses of a node's own on the pod network, where they are not the first two of its range. */
  readonly ownAddresses?: (node: Node) => readonly IpAddress[];
}

/** The network that the portmap plugin serves. */
export interface Portmap {
  readonly bridge: string;
  /** Name of the CNI network. */
  readonly network: string;
  /** The subnet of pods' addresses on a node. */
  readonly subnet: (node: Node, family: IpFamily) => Cidr | null;
}

/** Pod range of `node` by way of its address. */
export interface UnderlayRoute {
  readonly dst: Cidr;
  readonly via: IpAddress;
  readonly node: string;
}

/** An interface of a node, as what may carry its overlay. */
export interface NodeUplink {
  readonly device: string;
  /** First the primary one. */
  readonly addresses: readonly IpAddress[];
  readonly mtu: number;
  /** Is the address on the link of that interface? */
  readonly onLink: (address: IpAddress) => boolean;
}

export interface CniContext {
  readonly index: ClusterIndex;
  /** The interfaces of a node; the first one with an address of a family has its default route. */
  uplinks(node: Node): readonly NodeUplink[];
}

export interface NodeNetwork {
  readonly devices: readonly Device[];
  readonly routes: readonly TableRoute[];
  /** Further parts of the main table, too large to list for each node. */
  readonly generatedRoutes: readonly RoutingTable[];
  readonly neighbours: StaticNeighbours;
  readonly fdb: () => readonly FdbEntry[];
  /** Warm caches: the MAC of what is on the plugin's own links. */
  readonly knownMac: (device: string, address: IpAddress) => Mac | undefined;
}

/** Neighbour entries that a daemon sets. */
export interface StaticNeighbours {
  get(device: string, address: IpAddress): NeighbourEntry | undefined;
  entries(): Iterable<NeighbourEntry>;
}

export interface PodNetwork {
  readonly eth0: Device;
  readonly routes: readonly TableRoute[];
  readonly knownMac: (device: string, address: IpAddress) => Mac | undefined;
}

export const NO_NEIGHBOURS: StaticNeighbours = { get: () => undefined, entries: () => [] };

/** What a node has of a mode that does nothing there. */
export const EMPTY_NODE_NETWORK: NodeNetwork = {
  devices: [],
  routes: [],
  generatedRoutes: [],
  neighbours: NO_NEIGHBOURS,
  fdb: () => [],
  knownMac: () => undefined,
};
