import type { IpAddress } from '../../../net/ip.ts';
import type { Packet } from '../../../net/packet.ts';
import type { HookName, RuleVerdict } from '../../../trace/event.ts';
import type { Host } from '../../host.ts';
import type { IpvsConnection } from '../../ipvs/connection-table.ts';
import type { ConntrackView } from '../conntrack/view.ts';
import type { Rule, TableName } from './table.ts';
import type { RejectWith, TargetAction } from './target/target.ts';

/** What a match may look at (struct xt_action_param, the skb, and the state the modules keep). */
export interface MatchContext {
  readonly host: Host;
  readonly hook: HookName;
  readonly table: TableName;
  readonly packet: Packet;
  readonly mark: number;
  /** The device of ip hooks: a bridge, never its port. null where the hook has none. */
  readonly inDevice: string | null;
  readonly outDevice: string | null;
  /** br_netfilter's physical ports (struct nf_bridge_info). `bridged`: the packet stays on the bridge. */
  readonly physIn: string | null;
  readonly physOut: string | null;
  readonly bridged: boolean;
  /** Source MAC of the frame the packet arrived in; null for local output. */
  readonly srcMac: string | null;
  readonly packetType: 'unicast' | 'broadcast' | 'multicast';
  readonly conntrack: ConntrackView;
  /** The local socket that sent the packet (OUTPUT, POSTROUTING); null for forwarded packets and packets without a socket. */
  readonly socket: { readonly uid: number; readonly gid: number } | null;
  /** Milliseconds since the simulation began. */
  readonly now: number;
  /** State that modules keep in this namespace between packets, by a key of the module's own ("recent:NAME"). Made when missing. */
  moduleState<T>(key: string, make: () => T): T;
  /** Key of this rule in the namespace, for per-rule state ("nat/CHAIN/3"). */
  readonly ruleKey: string;
  /** A random draw with the given probability, as one of the walk's choices; certain draws (0, 1) make no choice. */
  draw(probability: number, what: string): boolean;
  /** One of several by their probabilities, which add up to 1. Left out: draws one by one stand for it. */
  pick?(weights: readonly number[], what: string, leadsTo: (alternative: number) => IpAddress | null): number;
  /** Entries of an ipset as they are now (SET target included); undefined: no such set. */
  ipset(name: string): import('../../ipset/ipset.ts').IpSet | undefined;
  /** Type of an address as the routing tables see it (fib: inet_addr_type[_dev_table]); `device` limits to one device's. */
  addressType(address: import('../../../net/ip.ts').IpAddress, device: string | null): AddressType;
  /** Reverse path check as the rpfilter match does it. */
  reversePath(loose: boolean, acceptLocal: boolean, validMark: boolean): boolean;
  /** True when a socket in this namespace would take the packet (match socket). */
  socketExists(): boolean;
  /** The packet belongs to an IPVS connection (skb->ipvs_property). Left out where there is no IPVS. */
  readonly ipvsProperty?: boolean;
  /** The IPVS connection of a packet on its way to the real server; null: none. Left out where there is no IPVS. */
  readonly ipvsConnection?: IpvsConnection | null;
}

/** include/linux/rtnetlink.h RTN_*; what `addrtype` names. */
export type AddressType =
  | 'UNSPEC'
  | 'UNICAST'
  | 'LOCAL'
  | 'BROADCAST'
  | 'ANYCAST'
  | 'MULTICAST'
  | 'BLACKHOLE'
  | 'UNREACHABLE'
  | 'PROHIBIT'
  | 'THROW';

/** What the targets of a traversal change, beside what matches see. The walk implements it over a packet buffer. */
export interface TraverseContext extends MatchContext {
  packet: Packet;
  mark: number;
  ruleKey: string;
  /** CONNMARK; no effect without a conntrack entry. */
  setConnectionMark(mark: number): void;
  /** CT --notrack, NOTRACK: the packet becomes UNTRACKED (only before conntrack has seen it). */
  notrack(): void;
  /** The MSS that the routes to the packet's destination and back to its source take (tcpmss_reverse_mtu, dst_mtu). */
  pathMss(): number;
  /** Hands DNAT, SNAT, MASQUERADE, REDIRECT, NETMAP to the NAT core. 'drop' where the core refuses. */
  nat(action: NatAction): 'accept' | 'drop';
  /** SET target. */
  changeSet(action: Extract<TargetAction, { kind: 'set-add' | 'set-del' }>): void;
  /** Where events go; null when nobody listens (verdicts only). */
  readonly record: ((event: RuleRecord | PolicyRecord) => void) | null;
  /** Told of every rule that might have matched but can't be evaluated (a match or target that k8snet doesn't model). It is passed over. */
  readonly unknownRule?: (rule: Rule, chain: string, number: number) => void;
  /** Told how many rules at the end of a user chain were looked at and passed over: no event says that. */
  passed?(rules: number): void;
  /** Told how many rules were looked at and how many of them matched; false: enough, the traversal ends. */
  looked?(rules: number, matched: number): boolean;
}

export type NatAction = Extract<TargetAction, { kind: 'dnat' | 'snat' | 'masquerade' | 'redirect' | 'netmap' }>;

/** A matched rule as the traversal knows it; the walk makes a RuleEvent of it. */
export interface RuleRecord {
  readonly kind: 'rule';
  readonly chain: string;
  readonly number: number;
  readonly rule: Rule;
  readonly verdict: RuleVerdict;
  readonly passedOver: number;
}

export interface PolicyRecord {
  readonly kind: 'policy';
  readonly chain: string;
  readonly verdict: 'accept' | 'drop';
  readonly passedOver: number;
}

/** How a table's traversal ends. */
export type TraverseVerdict =
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject'; readonly with: RejectWith };
