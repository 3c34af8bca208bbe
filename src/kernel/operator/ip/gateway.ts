import { cidrContains } from '../../../net/cidr.ts';
import { TABLE_LOCAL, TABLE_MAIN } from '../../routing/route.ts';
import { refuse } from '../failure.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Host } from '../../host.ts';
import type { NextHop, Route, RouteScope, RoutingRule } from '../../routing/route.ts';

const INVALID_GATEWAY = 'Error: Nexthop has invalid gateway.';

/**
 * The device by which a next hop is reached, as the kernel decides it when a route of some scope is added (fib_check_nh,
 * net/ipv4/fib_semantics.c): with onlink the named device is taken at its word, else a route of a narrower scope must lead to the gateway.
 */
export function resolveNextHop(host: Host, table: number, scope: RouteScope, hop: NextHop): NextHop {
  if (hop.via === null) {
    if (hop.dev === null) return refuse('RTNETLINK answers: No such device');
    if (hop.onlink) refuse('Error: Invalid flags for nexthop - PERVASIVE and ONLINK can not be set.');
    if (!isUp(host, hop.dev)) refuse('Error: Device for nexthop is not up.');
    return hop;
  }
  if (hop.onlink) {
    if (hop.dev === null) return refuse('Error: Nexthop device required for onlink.');
    if (!isUp(host, hop.dev)) refuse('Error: Nexthop device is not up.');
    const [own] = host.routing.tables.get(TABLE_LOCAL)?.lookup(hop.via) ?? [];
    return own ? refuse(INVALID_GATEWAY) : hop;
  }
  const route = lookupGateway(host, { table, gateway: hop.via, dev: hop.dev, scope });
  const dev = route?.nexthops.find((candidate) => hop.dev === null || candidate.dev === hop.dev)?.dev ?? null;
  if (!route || dev === null || (route.type !== 'unicast' && route.type !== 'local')) return refuse(INVALID_GATEWAY);
  return isUp(host, dev) ? { ...hop, dev } : refuse('RTNETLINK answers: Network is down');
}

interface GatewayQuestion {
  /** Table of the new route. */
  readonly table: number;
  readonly gateway: IpAddress;
  readonly dev: string | null;
  /** Scope of the new route. */
  readonly scope: RouteScope;
}

/** First the route's own table, then all that the rules name. */
function lookupGateway(host: Host, question: GatewayQuestion): Route | undefined {
  const own = question.table === TABLE_MAIN ? undefined : lookupTable(host, question.table, question);
  if (own) return own;
  for (const rule of host.routing.rules) {
    if (!selects(rule, question.gateway, question.dev)) continue;
    if (rule.action.kind !== 'lookup') return undefined;
    const route = lookupTable(host, rule.action.table, question);
    if (route?.type === 'throw') continue;
    if (route) return route;
  }
  return undefined;
}

function lookupTable(host: Host, table: number, { gateway, dev, scope }: GatewayQuestion): Route | undefined {
  for (const route of host.routing.tables.get(table)?.lookup(gateway) ?? []) {
    // The look-up wants scope link, or host for a route that is itself of scope link; wider routes of any type are passed over.
    if (route.scope === 'global' || (scope === 'link' && route.scope === 'link')) continue;
    if (route.tos !== 0) continue;
    if (route.nexthops.length === 0) return route;
    if (route.nexthops.some((hop) => hop.dev !== null && (dev === null || hop.dev === dev))) return route;
  }
  return undefined;
}

/** Does a rule take this look-up: from nowhere, by lo, without a mark? */
function selects(rule: RoutingRule, gateway: IpAddress, dev: string | null): boolean {
  const matches =
    (rule.from === null || rule.from.length === 0) &&
    (rule.to === null || cidrContains(rule.to, gateway)) &&
    (rule.iif === null || rule.iif === 'lo') &&
    (rule.oif === null || rule.oif === dev) &&
    (rule.mark === null || rule.mark.value === 0) &&
    rule.protocol === null &&
    rule.sport === null &&
    rule.dport === null;
  return rule.family === 4 && matches !== rule.invert;
}

function isUp(host: Host, device: string): boolean {
  return host.devices.get(device)?.up === true;
}
