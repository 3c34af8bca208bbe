import { cidrContains } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { TABLE_LOCAL } from './route.ts';
import { remembered } from '../remembered.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';
import type { Route, RouteType, RoutingPolicy, RoutingRule, RoutingTable } from './route.ts';
import type { RouteError } from './resolved-route.ts';

/** What a look-up is made for (struct flowi4). */
export interface Flow {
  readonly dst: IpAddress;
  /** null: not chosen yet. */
  readonly src: IpAddress | null;
  /** Device it came by; "lo" for packets of the host itself. */
  readonly iif: string;
  /** Only routes by this device; null: any. */
  readonly oif: string | null;
  readonly mark: number;
  readonly tos: number;
  readonly protocol: string;
  readonly sport: number;
  readonly dport: number;
  /** FLOWI_FLAG_ANYSRC: the source need not be an address of this host. */
  readonly anySource?: true;
}

export type LookupResult =
  | { readonly ok: true; readonly route: Route; readonly table: number }
  | { readonly ok: false; readonly error: RouteError; readonly route: Route | null; readonly table: number | null };

/** fib_props[]: route types that answer a look-up with an error. */
const ERROR_OF_TYPE: Partial<Record<RouteType, RouteError>> = {
  unreachable: 'EHOSTUNREACH',
  prohibit: 'EACCES',
  blackhole: 'EINVAL',
};

const ERROR_OF_RULE = { unreachable: 'ENETUNREACH', prohibit: 'EACCES', blackhole: 'EINVAL' } as const;

/** The bits of TOS that routing looks at (IPTOS_RT_MASK). */
export const ROUTING_TOS = 0x1c;

/** The flow of a packet that came by a device. */
export function inputFlow(packet: Packet, device: string, mark: number): Flow {
  const { protocol, sport, dport } = transport(packet);
  return {
    dst: packet.dst,
    src: packet.src,
    iif: device,
    oif: null,
    mark,
    tos: packet.tos & ROUTING_TOS,
    protocol,
    sport,
    dport,
  };
}

/** The flow of a packet that this host sends; `src` null leaves the source to the look-up. */
export function outputFlow(packet: Packet, src: IpAddress | null, mark: number): Flow {
  const { protocol, sport, dport } = transport(packet);
  return { dst: packet.dst, src, iif: 'lo', oif: null, mark, tos: packet.tos & ROUTING_TOS, protocol, sport, dport };
}

/** Protocol and ports of a packet, for rules that select by them. */
export function transport(packet: Packet): Pick<Flow, 'protocol' | 'sport' | 'dport'> {
  const l4 = packet.l4;
  const hasPorts = l4.protocol === 'tcp' || l4.protocol === 'udp' || l4.protocol === 'sctp';
  return { protocol: l4.protocol, sport: hasPorts ? l4.sport : 0, dport: hasPorts ? l4.dport : 0 };
}

/** fib_lookup: the rules in order; the first whose table has a route decides. */
export function lookup(policy: RoutingPolicy, flow: Flow): LookupResult {
  const known = indexOf(policy);
  return known.byDestination !== null && flow.tos === 0 && flow.oif === null
    ? known.byDestination(flow.dst)
    : lookupByRules(policy, flow);
}

function lookupByRules(policy: RoutingPolicy, flow: Flow): LookupResult {
  for (const rule of policy.rules) {
    if (!selects(rule, flow)) continue;
    if (rule.action.kind !== 'lookup') return { ok: false, error: ERROR_OF_RULE[rule.action.kind], route: null, table: null };
    const table = rule.action.table;
    const route = lookupTable(policy, table, flow);
    if (!route) continue;
    const error = ERROR_OF_TYPE[route.type];
    if (error) return { ok: false, error, route, table };
    const { suppressPrefixLength } = rule;
    if (suppressPrefixLength !== null && route.dst.length <= suppressPrefixLength) continue;
    return { ok: true, route, table };
  }
  return { ok: false, error: 'ENETUNREACH', route: null, table: null };
}

/** fib_table_lookup: longest prefix first; null where the next rule has its turn (no route, or one of type throw). */
function lookupTable(policy: RoutingPolicy, id: number, flow: Flow): Route | null {
  const table = policy.tables.get(id);
  if (!table) return null;
  for (const route of routesTo(policy, table, flow.dst)) {
    if (route.tos !== 0 && route.tos !== flow.tos) continue;
    if (route.type === 'throw') return null;
    const byDevice = flow.oif === null || route.nexthops.length === 0 || route.nexthops.some(({ dev }) => dev === flow.oif);
    if (byDevice) return route;
  }
  return null;
}

/** fib4_rule_match */
function selects(rule: RoutingRule, flow: Flow): boolean {
  return selectorHolds(rule, flow) !== rule.invert && rule.family === (isIpv4(flow.dst) ? 4 : 6);
}

function selectorHolds(rule: RoutingRule, flow: Flow): boolean {
  if (rule.from && (flow.src === null ? rule.from.length > 0 : !cidrContains(rule.from, flow.src))) return false;
  if (rule.to && !cidrContains(rule.to, flow.dst)) return false;
  if (rule.iif !== null && rule.iif !== flow.iif) return false;
  if (rule.oif !== null && rule.oif !== flow.oif) return false;
  if (rule.mark && ((flow.mark ^ rule.mark.value) & rule.mark.mask) !== 0) return false;
  if (rule.protocol && rule.protocol !== flow.protocol) return false;
  if (rule.sport && (flow.sport < rule.sport.from || flow.sport > rule.sport.to)) return false;
  return !rule.dport || (flow.dport >= rule.dport.from && flow.dport <= rule.dport.to);
}

/** True when rules beyond the three defaults exist (fib4_has_custom_rules). */
export function hasCustomRules(policy: RoutingPolicy): boolean {
  return policy.rules.some(({ priority }) => priority !== 0 && priority !== 32766 && priority !== 32767);
}

/** The local table's route for an address: is it one of the host's own, a broadcast address, or neither? */
export function localRoute(policy: RoutingPolicy, address: IpAddress): Route | null {
  const table = policy.tables.get(TABLE_LOCAL);
  return (table && routesTo(policy, table, address)[0]) ?? null;
}

/** What look-ups in a policy have found, which is immutable with its tables. */
interface PolicyIndex {
  /** The answer for packets of no special service; null where more than the destination decides. */
  readonly byDestination: ((dst: IpAddress) => LookupResult) | null;
  readonly byTable: Map<RoutingTable, (dst: IpAddress) => readonly Route[]>;
}

const indexes = new WeakMap<RoutingPolicy, PolicyIndex>();

function indexOf(policy: RoutingPolicy): PolicyIndex {
  let index = indexes.get(policy);
  if (!index) {
    const byDestination = policy.rules.every(selectsAll)
      ? remembered((dst: IpAddress) => lookupByRules(policy, towards(dst)))
      : null;
    index = { byDestination, byTable: new Map() };
    indexes.set(policy, index);
  }
  return index;
}

function routesTo(policy: RoutingPolicy, table: RoutingTable, dst: IpAddress): readonly Route[] {
  const { byTable } = indexOf(policy);
  let routes = byTable.get(table);
  if (!routes) {
    routes = remembered((to: IpAddress) => [...table.lookup(to)]);
    byTable.set(table, routes);
  }
  return routes(dst);
}

/** True for a rule that asks for nothing but the family. */
function selectsAll({ invert, from, to, iif, oif, mark, protocol, sport, dport }: RoutingRule): boolean {
  return !invert && [from, to, iif, oif, mark, protocol, sport, dport].every((selector) => selector === null);
}

function towards(dst: IpAddress): Flow {
  return { dst, src: null, iif: 'lo', oif: null, mark: 0, tos: 0, protocol: 'other', sport: 0, dport: 0 };
}
