import type { HookName } from './event.ts';
import type { API_VERSION } from './trace.ts';

/** Rules behind a base chain are counted up to here; the number then stands for this many or more. */
export const MOST_COUNTED = 100_000;

/** The network of a cluster as it stands before any packet moves: what `k8snet topology -o json` prints. */
export interface Topology {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Topology';
  readonly cluster: TopologyCluster;
  readonly underlay: TopologyUnderlay;
  /** Tunnels between nodes, one for each kind of tunnel device. */
  readonly overlays: readonly TopologyOverlay[];
  /** All nodes of the cluster, or the one that was asked for. */
  readonly nodes: readonly TopologyNode[];
  readonly externals: readonly TopologyExternal[];
  /** The cloud's balancers; none without a cloud. */
  readonly balancers: readonly TopologyBalancer[];
}

/** What is true of the whole cluster. */
export interface TopologyCluster {
  readonly name: string;
  readonly kubernetesVersion: string;
  /** "flannel vxlan", "docker", "bridge" ... */
  readonly cni: string;
  /** The mode of kube-proxy: "iptables", "ipvs", "nftables" ... */
  readonly proxyMode: string;
  readonly podCidrs: readonly string[];
  readonly serviceCidrs: readonly string[];
  /** How many there are, also where not all are listed. */
  readonly nodes: number;
  readonly pods: number;
  readonly services: number;
}

/** The network between the nodes: switches, and one router that knows them all. */
export interface TopologyUnderlay {
  readonly networks: readonly TopologyNetwork[];
  /** Routes of the router beyond its own networks, as `ip route` prints them. */
  readonly routes: readonly TopologyRoute[];
  /** Routes that are not listed: more of the same kind. */
  readonly moreRoutes: number;
  /** Frames that the network drops: "udp/8472 from node/node-1". */
  readonly firewall: readonly string[];
}

/** One switch. */
export interface TopologyNetwork {
  /** Of a subnet that has one; null: the nodes' own network. */
  readonly name: string | null;
  /** The bridge device of host "underlay". */
  readonly device: string;
  readonly ranges: readonly string[];
  /** The router's addresses in them. */
  readonly routers: readonly string[];
  readonly ports: readonly TopologyPort[];
}

/** Where a host hangs on a switch. */
export interface TopologyPort {
  readonly port: string;
  /** "node/node-1", "external/laptop". */
  readonly host: string;
  readonly device: string;
  /** What the host was given there. */
  readonly addresses: readonly string[];
}

/** A host outside the cluster. */
export interface TopologyExternal {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly listens: readonly TopologySocket[];
  /** The bridge of its switch; null: behind the router on a cable of its own. */
  readonly network: string | null;
}

/** A balancer of the cloud: a host behind the router that stands for one service. */
export interface TopologyBalancer {
  /** "balancer/shop/web" */
  readonly host: string;
  /** "Service shop/web" */
  readonly object: string;
  /** The public addresses of the service. */
  readonly addresses: readonly string[];
  /** By which it talks to nodes. */
  readonly ownAddresses: readonly string[];
  /** nodePort: it translates to node ports; direct: it passes packets on as they are. */
  readonly mode: 'nodePort' | 'direct';
  /** The service's ports: "tcp 80". */
  readonly listens: readonly TopologySocket[];
}

/** A tunnel between the nodes. */
export interface TopologyOverlay {
  readonly kind: 'vxlan';
  /** The device on each node. */
  readonly device: string;
  readonly vni: number;
  /** UDP port of the outer packets. */
  readonly port: number;
  /** Who made the devices. */
  readonly by: string | null;
}

/** A node: the namespaces on it. */
export interface TopologyNode {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
  /** Devices of the host's own namespace. */
  readonly devices: readonly TopologyDevice[];
  readonly pods: readonly TopologyPod[];
  /** Routes, hooks and ways in; null where a cluster has too many nodes to tell them of each. */
  readonly detail: TopologyDetail | null;
}

/** A device as `ip addr` and `ip -d link` show it. */
export interface TopologyDevice {
  readonly name: string;
  readonly kind: 'loopback' | 'veth' | 'bridge' | 'vxlan' | 'dummy';
  readonly up: boolean;
  readonly mtu: number;
  readonly mac: string | null;
  /** With their prefix lengths. */
  readonly addresses: readonly string[];
  /** The bridge that it is a port of. */
  readonly master: string | null;
  /** A bridge port that may send a frame back to where it came from. */
  readonly hairpin: boolean;
  /** The other end of a veth pair. */
  readonly peer: { readonly host: string; readonly device: string } | null;
  readonly tunnel: TopologyTunnel | null;
  /** Who made it. */
  readonly by: string | null;
}

/** The settings of a VXLAN device. */
export interface TopologyTunnel {
  readonly vni: number;
  readonly port: number;
  /** Source address of the outer packets. */
  readonly local: string | null;
  /** The device that the outer packets leave by. */
  readonly lower: string | null;
}

/** A pod, or a container of Docker. */
export interface TopologyPod {
  /** "pod/default/web-1". */
  readonly name: string;
  /** It has no namespace of its own: it lives in the node's. */
  readonly hostNetwork: boolean;
  readonly ready: boolean;
  /** Its containers, as far as they are known. */
  readonly containers: readonly string[];
  /** A pause container holds the namespace that the others share. */
  readonly pause: boolean;
  /** Devices of its own namespace. */
  readonly devices: readonly TopologyDevice[];
  /** As `ip route` prints them. */
  readonly routes: readonly string[];
  readonly listens: readonly TopologySocket[];
}

/** A socket that listens. */
export interface TopologySocket {
  readonly protocol: string;
  readonly port: number;
}

/** What decides on a node where a packet goes. */
export interface TopologyDetail {
  /** net.ipv4.ip_forward */
  readonly forwarding: boolean;
  /** net.bridge.bridge-nf-call-iptables: frames that a bridge passes on visit the hooks too. */
  readonly bridgeNetfilter: boolean;
  /** The kernel remembers connections, which nat needs. */
  readonly conntrack: boolean;
  /** The dumps that the rules come from; none: what the controllers write. */
  readonly dumps: readonly string[];
  /** The five hooks, in the order of a packet's way. */
  readonly hooks: readonly TopologyHook[];
  readonly routes: readonly TopologyRoute[];
  /** Routes that are not listed: more of the same kind. */
  readonly moreRoutes: number;
  readonly entrances: readonly TopologyEntrance[];
}

/** A place on a packet's way at which rules are asked. */
export interface TopologyHook {
  readonly hook: HookName;
  /** In the order in which the kernel calls them. */
  readonly chains: readonly TopologyChain[];
}

/** What hangs on a hook: a base chain, or a part of the kernel with no rules to list. */
export interface TopologyChain {
  readonly kind: 'iptables' | 'iptables-legacy' | 'nftables' | 'ipvs';
  /** IP family: 4 or 6; null: both. */
  readonly family: 4 | 6 | null;
  /** "nat", "filter"; of nftables: "kube-proxy". null: IPVS has neither table nor chain, but virtual servers as rules and real ones behind. */
  readonly table: string | null;
  /** "PREROUTING"; of nftables: "nat-prerouting". */
  readonly chain: string | null;
  readonly policy: 'ACCEPT' | 'DROP' | null;
  /** Rules that stand in the base chain itself. */
  readonly rules: number;
  /** Rules of the chains that can be reached from there by jumps; 100000 stands for that many or more. */
  readonly behind: number;
  readonly makers: readonly TopologyMaker[];
}

/** Whose rules: "kube-proxy", "flannel", "operator" ... */
export interface TopologyMaker {
  readonly by: string;
  readonly rules: number;
  readonly behind: number;
}

/** A route and what it is for. */
export interface TopologyRoute {
  /** "main", or the table's number. */
  readonly table: string;
  /** As `ip route` prints it. */
  readonly text: string;
  readonly purpose: string;
}

/** A port of the node at which something answers. */
export interface TopologyEntrance {
  readonly kind: 'node-port' | 'host-port' | 'health-check' | 'socket';
  readonly protocol: string;
  readonly port: number;
  /** The one address it is limited to; null: all. */
  readonly address: string | null;
  /** What is behind it: "Service shop/web", "Pod default/web-1"; null: not known. */
  readonly object: string | null;
  /** Where it leads to: "10.244.0.3:8080", or the port of the service: "80"; null: it ends here, at a socket. */
  readonly to: string | null;
}
