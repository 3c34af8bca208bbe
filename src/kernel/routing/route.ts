import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Origin } from '../../trace/origin.ts';

export type RouteType = 'unicast' | 'local' | 'broadcast' | 'unreachable' | 'prohibit' | 'blackhole' | 'throw';
/** Routing scopes, narrower is larger (include/uapi/linux/rtnetlink.h). */
export type RouteScope = 'global' | 'link' | 'host' | 'nowhere';

export interface NextHop {
  readonly via: IpAddress | null;
  readonly dev: string | null;
  readonly onlink: boolean;
  /** Weight of a multipath next hop, from 1. */
  readonly weight: number;
}

export interface Route {
  readonly type: RouteType;
  readonly dst: Cidr;
  readonly scope: RouteScope;
  /** Empty for unreachable, prohibit, blackhole, throw. */
  readonly nexthops: readonly NextHop[];
  /** Preferred source. */
  readonly source: IpAddress | null;
  readonly metric: number;
  /** 0: any. */
  readonly tos: number;
  /** "kernel", "static" ... as `ip route` prints it; null prints nothing (RTPROT_BOOT, what a bare `ip route add` gives). */
  readonly protocol: string | null;
  readonly mtu: number | null;
  /** `mtu lock N`: path MTU discovery is not tried, so DF stays clear. */
  readonly mtuLocked?: true;
  readonly origin?: Origin;
}

/** A rule of `ip rule`: the first whose selector matches and whose table answers decides. */
export interface RoutingRule {
  readonly priority: number;
  readonly family: 4 | 6;
  readonly invert: boolean;
  readonly from: Cidr | null;
  readonly to: Cidr | null;
  readonly iif: string | null;
  readonly oif: string | null;
  readonly mark: { readonly value: number; readonly mask: number } | null;
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'sctp' | null;
  readonly sport: { readonly from: number; readonly to: number } | null;
  readonly dport: { readonly from: number; readonly to: number } | null;
  readonly suppressPrefixLength: number | null;
  readonly action:
    | { readonly kind: 'lookup'; readonly table: number }
    | { readonly kind: 'unreachable' | 'prohibit' | 'blackhole' };
}

/** Numbers of the tables that have names. */
export const TABLE_LOCAL = 255;
export const TABLE_MAIN = 254;
export const TABLE_DEFAULT = 253;

/** A routing table: look-ups by longest prefix, then metric. Kept behind an interface so that large tables can be indexed. */
export interface RoutingTable {
  readonly id: number;
  /** Candidate routes for a destination, best first: longest prefix first, then smaller metric. */
  lookup(dst: IpAddress): Iterable<Route>;
  /** All routes, in the order `ip route` prints them. */
  routes(): Iterable<Route>;
}

export interface RoutingPolicy {
  /** In order of priority. */
  readonly rules: readonly RoutingRule[];
  /** By number. The local table (255) is derived from addresses plus what was added by hand. */
  readonly tables: ReadonlyMap<number, RoutingTable>;
}
