import { cidrContains } from '../../../net/cidr.ts';
import { TABLE_MAIN } from '../../routing/route.ts';
import { refuse } from '../failure.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Host } from '../../host.ts';
import type { NextHop, Route, RoutingRule } from '../../routing/route.ts';

const INVALID_GATEWAY = 'Error: Nexthop has invalid gateway.';

/**
 * The device by which a next hop is reached, as the kernel decides it when a route is added (fib_check_nh, net/ipv4/fib_semantics.c): with
 * onlink the named device is taken at its word, else a route of scope link or narrower must lead to the gateway.
 */
export function resolveNextHop(host: Host, table: number, hop: NextHop): NextHop {
  if (hop.via === null) {
    if (hop.dev === null) return refuse('RTNETLINK answers: No such device');
    if (!isUp(host, hop.dev)) refuse('Error: Device for nexthop is not up.');
    return hop;
  }
  if (hop.onlink) {
    if (hop.dev === null) return refuse('Error: Nexthop device required for onlink.');
    if (!isUp(host, hop.dev)) refuse('Error: Nexthop device is not up.');
    return hop;
  }
  const route = lookupGateway(host, table, hop.via, hop.dev);
  const dev = route?.nexthops.find((candidate) => hop.dev === null || candidate.dev === hop.dev)?.dev ?? null;
  if (!route || dev === null || (route.type !== 'unicast' && route.type !== 'local')) return refuse(INVALID_GATEWAY);
  return { ...hop, dev };
}

/** The look-up with scope link: first the route's own table, then all that the rules name. */
function lookupGateway(host: Host, table: number, gateway: IpAddress, dev: string | null): Route | undefined {
  const own = table === TABLE_MAIN ? undefined : lookupTable(host, table, gateway, dev);
  // An error in the route's own table (an unreachable default) counts as no answer (fib_check_nh_v4_gw).
  if (own && (own.type === 'unicast' || own.type === 'local')) return own;
  for (const rule of host.routing.rules) {
    if (!selects(rule, gateway, dev)) continue;
    if (rule.action.kind !== 'lookup') return undefined;
    const route = lookupTable(host, rule.action.table, gateway, dev);
    if (route?.type === 'throw') continue;
    if (route) return route;
  }
  return undefined;
}

function lookupTable(host: Host, table: number, gateway: IpAddress, dev: string | null): Route | undefined {
  for (const route of host.routing.tables.get(table)?.lookup(gateway) ?? []) {
    if (route.type !== 'unicast' && route.type !== 'local' && route.type !== 'broadcast') return route;
    if (route.scope === 'global') continue;
    if (route.nexthops.some((hop) => hop.dev !== null && (dev === null || hop.dev === dev) && isUp(host, hop.dev))) return route;
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
