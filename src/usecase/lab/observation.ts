import type { RuleVerdict } from '../../trace/event.ts';

/** A packet as seen on a device or in a hook. */
export interface ObservedPacket {
  readonly protocol: string;
  readonly src: string;
  readonly dst: string;
  readonly sport?: number;
  readonly dport?: number;
  readonly ttl: number;
  readonly length: number;
  /** Identification of the IP header, of IPv6 its flow label: stays through NAT and forwarding. */
  readonly id: number;
  readonly df: boolean;
  /** "SYN,ACK" */
  readonly flags?: string;
  /** Bytes behind the TCP header. */
  readonly payload?: number;
  readonly icmp?: { readonly type: number; readonly code: number; readonly id: number };
  /** Of an ICMP error: the identification of the packet it is about. */
  readonly about?: number;
  readonly fragment?: { readonly offset: number; readonly more: boolean };
}

/** One base chain that a packet ran through, as netfilter's own trace tells it. */
export interface HookRun {
  /** Nanoseconds; when it was told, a moment after it happened. */
  readonly time: number;
  readonly host: string;
  readonly table: string;
  /** "PREROUTING" */
  readonly hook: string;
  /** The base chain: for iptables it bears the name of its hook. */
  readonly chain: string;
  readonly packet: ObservedPacket;
  readonly in: string | null;
  readonly out: string | null;
  /** The rules that matched; `rule` is null for one that was not there when rules were numbered. */
  readonly rules: readonly {
    readonly chain: string;
    readonly rule: number | null;
    readonly verdict: RuleVerdict;
    readonly target?: string;
  }[];
  /** What the chain's policy said, where it had to. */
  readonly policy: string | null;
}

/** A packet that a device sent or received. */
export interface ObservedFrame {
  /** Nanoseconds. */
  readonly time: number;
  readonly host: string;
  readonly device: string;
  readonly kind: 'tx' | 'rx';
  readonly srcMac: string;
  readonly dstMac: string;
  readonly packet: ObservedPacket;
  /** What a VXLAN packet carries. */
  readonly inner?: { readonly vni: number; readonly packet: ObservedPacket | null };
}

/** A client that a server's socket saw. */
export interface Arrival {
  readonly owner: string;
  readonly host: string;
  readonly source: string;
  readonly sport: number;
  readonly bytes: number;
}

/** What a real kernel did with one connection. */
export interface Observation {
  /** `errno`: what the failing call reported; null when nothing came within the time. `local`: the source that the kernel chose. */
  readonly result: { readonly connected: boolean; readonly errno: string | null; readonly local: string | null };
  readonly arrivals: readonly Arrival[];
  readonly runs: readonly HookRun[];
  /** In order of time. */
  readonly frames: readonly ObservedFrame[];
}
