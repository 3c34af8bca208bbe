import { cidrOf } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import { once } from '../../support/once.ts';
import { compareForListing, compareRoutes } from './order.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { Route, RoutingTable } from './route.ts';

/**
 * A routing table over a list. Routes of one prefix, TOS and metric keep the list's order. Nothing is indexed or listed before the first
 * look-up needs it; `routes` may be a function for a list that is costly to make.
 */
export function routingTable(id: number, routes: Iterable<Route> | (() => Iterable<Route>)): RoutingTable {
  const list = once(() => [...(typeof routes === 'function' ? routes() : routes)].sort(compareForListing));
  const index = once(() => indexRoutes(list()));
  return { id, lookup: (dst) => index().candidates(dst), routes: list };
}

/** Several tables as one: what a look-up finds in any of them, best first. */
export function mergedTable(id: number, parts: readonly RoutingTable[]): RoutingTable {
  return {
    id,
    lookup: (dst) => parts.flatMap((part) => [...part.lookup(dst)]).sort(compareRoutes),
    routes: once(() => parts.flatMap((part) => [...part.routes()]).sort(compareForListing)),
  };
}

/** Routes of one prefix length by network address. */
interface Level {
  readonly length: number;
  readonly byAddress: Map<IpAddress, Route[]>;
}

interface RouteIndex {
  candidates(dst: IpAddress): Iterable<Route>;
}

/** Longest prefix match with one map per prefix length that occurs: cost grows with lengths, not with routes. */
function indexRoutes(routes: readonly Route[]): RouteIndex {
  const levels: Readonly<Record<IpFamily, Level[]>> = { 4: [], 6: [] };
  for (const route of routes) {
    const family = levels[familyOf(route.dst.address)];
    let level = family.find(({ length }) => length === route.dst.length);
    if (!level) {
      level = { length: route.dst.length, byAddress: new Map() };
      family.push(level);
    }
    const same = level.byAddress.get(route.dst.address);
    if (same) same.push(route);
    else level.byAddress.set(route.dst.address, [route]);
  }
  for (const family of [levels[4], levels[6]]) family.sort((a, b) => b.length - a.length);
  return {
    *candidates(dst) {
      for (const { length, byAddress } of levels[familyOf(dst)]) {
        const found = byAddress.get(cidrOf(dst, length).address);
        if (found) yield* found;
      }
    },
  };
}
