import type { Origin } from './origin.ts';

/** The four layers a trace shows: node network, pod network, service network, external access. */
export type Layer = 'L0' | 'L1' | 'L2' | 'L3';
export type HookName = 'PREROUTING' | 'INPUT' | 'FORWARD' | 'OUTPUT' | 'POSTROUTING';
export type RuleVerdict = 'jump' | 'goto' | 'return' | 'accept' | 'drop' | 'continue';

/** A packet as an event shows it: addresses as text, only the fields its protocol has. */
export interface PacketView {
  readonly protocol: string;
  readonly src: string;
  readonly sport?: number;
  readonly dst: string;
  readonly dport?: number;
  readonly ttl: number;
  /** Left out when 0. */
  readonly mark?: number;
  readonly df: boolean;
  /** Bytes of the IP packet. */
  readonly length: number;
  /** "SYN", "SYN,ACK" ... */
  readonly flags?: string;
  /** Of SCTP: "INIT", "INIT-ACK", "COOKIE-ECHO", "ABORT" ... */
  readonly chunk?: string;
  readonly icmp?: { readonly type: number; readonly code: number; readonly id?: number; readonly mtu?: number };
  readonly fragment?: { readonly more: boolean; readonly offset: number };
  readonly vni?: number;
}

interface EventBase {
  /** "node/node-1", "pod/default/client", "external/laptop", "underlay". */
  readonly host: string;
  /** True for the encapsulating packet of a tunnel. */
  readonly outer?: true;
  readonly packet?: PacketView;
  readonly origin?: Origin;
}

/** A socket sends, or takes what arrived. `detail` says which and why: "connect", "listens", "no-socket", "established", "error". */
export interface SocketEvent extends EventBase {
  readonly kind: 'socket';
  readonly action: 'connect' | 'send' | 'deliver' | 'answer' | 'refuse' | 'error';
  /** The owner of the socket: "pod/default/web-1"; null when nobody listens. */
  readonly owner: string | null;
  readonly local?: string;
  readonly errno?: string;
}

/** A frame leaves by, or arrives on, a device. */
export interface DeviceEvent extends EventBase {
  readonly kind: 'tx' | 'rx';
  readonly device: string;
  readonly srcMac?: string;
  readonly dstMac?: string;
}

/** What a bridge did with a frame: up to its own IP stack, to one port, to all. */
export interface BridgeEvent extends EventBase {
  readonly kind: 'bridge';
  readonly bridge: string;
  readonly inPort: string | null;
  readonly action: 'local' | 'forward' | 'flood';
  readonly outPort: string | null;
}

/** A rule that matched. */
export interface RuleEvent extends EventBase {
  readonly kind: 'rule';
  readonly hook: HookName;
  readonly table: string;
  readonly chain: string;
  /** 1-based, as `iptables -L --line-numbers` shows it. */
  readonly rule: number;
  /** As iptables-save prints it. */
  readonly text: string;
  readonly verdict: RuleVerdict;
  /** Rules of this chain looked at and passed over since the last matching one (or since the chain was entered). */
  readonly passedOver: number;
  /** Rules of an nftables ruleset carry their table's family ("ip", "ip6", "inet"); absent for iptables. */
  readonly family?: string;
  /** The chain that a jump or goto of an nftables rule leads to: with a verdict map the text does not say it. */
  readonly target?: string;
  /** Set when a rule that k8snet can't evaluate stood on the way: what it was taken to do. */
  readonly unknown?: string;
  /** A rule of iptables-legacy, beside which the node's other rules apply as well. */
  readonly legacy?: true;
}

/** A base chain's policy that decided something. */
export interface PolicyEvent extends EventBase {
  readonly kind: 'policy';
  readonly hook: HookName;
  readonly table: string;
  readonly chain: string;
  readonly verdict: 'accept' | 'drop';
  readonly passedOver: number;
  /** Of an nftables ruleset: its table's family ("ip", "ip6", "inet"); absent for iptables. */
  readonly family?: string;
  /** A chain of iptables-legacy. */
  readonly legacy?: true;
}

export interface NatFields {
  readonly src?: string;
  readonly sport?: number;
  readonly dst?: string;
  readonly dport?: number;
  readonly icmpId?: number;
}

export interface NatEvent extends EventBase {
  readonly kind: 'nat';
  readonly hook: HookName;
  readonly type: 'dnat' | 'snat';
  /** Only the fields that changed. */
  readonly before: NatFields;
  readonly after: NatFields;
  /** True where a real kernel would draw the port at random. */
  readonly random?: true;
  /** Set where IPVS did it. */
  readonly ipvs?: IpvsDecision;
}

/** What IPVS knows of a packet that it rewrites. */
export interface IpvsDecision {
  /** "tcp 10.96.0.20:80" */
  readonly server: string;
  /** How the real server was chosen ("rr"), "persistence" where the client had one already; absent for packets of a known connection. */
  readonly scheduler?: string;
  /** Among how many it was chosen. */
  readonly realServers?: number;
}

export interface ConntrackEvent extends EventBase {
  readonly kind: 'conntrack';
  readonly hook: HookName;
  readonly state: 'NEW' | 'ESTABLISHED' | 'RELATED' | 'INVALID' | 'UNTRACKED';
  readonly direction: 'original' | 'reply' | null;
  /** The entry's original tuple, "tcp 10.244.0.2:40000 → 10.96.0.20:80"; null without an entry. */
  readonly entry: string | null;
}

/** A routing look-up that decided something. */
export interface RouteEvent extends EventBase {
  readonly kind: 'route';
  readonly table: string;
  /** The route as `ip route` prints it; null when none was found. */
  readonly entry: string | null;
  readonly via: string | null;
  readonly dev: string | null;
  /** Source address chosen by the look-up, for a packet of the host itself. */
  readonly source: string | null;
  readonly purpose: 'input' | 'output' | 'reroute' | 'bridge' | 'tunnel';
}

export interface NeighbourEvent extends EventBase {
  readonly kind: 'neighbour';
  readonly device: string;
  readonly address: string;
  /** null: nobody answered. */
  readonly mac: string | null;
}

export interface EncapsulateEvent extends EventBase {
  readonly kind: 'encapsulate' | 'decapsulate';
  readonly device: string;
  readonly tunnel: string;
  readonly vni: number;
  readonly local: string;
  readonly remote: string;
  readonly overhead: number;
}

export interface DropEvent extends EventBase {
  readonly kind: 'drop';
  /** The kernel's word (enum skb_drop_reason). */
  readonly reason: string;
  /** The kernel function. */
  readonly where: string;
  readonly hook?: HookName;
  readonly device?: string;
  /** More on it in plain data: { mtu: "1450" } */
  readonly detail?: Readonly<Record<string, string>>;
}

/** A process on the way that opens a connection of its own (userspace kube-proxy, Ingress controller). */
export interface ProxyEvent extends EventBase {
  readonly kind: 'proxy';
  readonly text: string;
  /** Index into the outcome's legs. */
  readonly leg: number;
}

/** An event as the kernel room emits it. */
export type KernelEvent =
  | SocketEvent
  | DeviceEvent
  | BridgeEvent
  | RuleEvent
  | PolicyEvent
  | NatEvent
  | ConntrackEvent
  | RouteEvent
  | NeighbourEvent
  | EncapsulateEvent
  | DropEvent
  | ProxyEvent;

/** An event of the public trace: the judge adds the layer it belongs to. */
export type TraceEvent = KernelEvent & { readonly layer: Layer };
