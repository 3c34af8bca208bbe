import { sameCidr } from '../../net/cidr.ts';
import { formatRoute } from './format.ts';
import { routingTable } from './table.ts';
import type { Route, RoutingPolicy, RoutingTable } from './route.ts';

/** How a new route is put in (NLM_F_EXCL, NLM_F_REPLACE, NLM_F_APPEND ... of RTM_NEWROUTE). */
export type InsertMode = 'add' | 'replace' | 'change' | 'append' | 'prepend';

export type InsertRouteResult =
  | { readonly ok: true; readonly policy: RoutingPolicy }
  | { readonly ok: false; readonly error: 'EEXIST' | 'ENOENT' };

/**
 * Puts a route into a table (made when missing) as fib_table_insert does: prefix, TOS and metric are the key; `add` wants it free, `change`
 * wants it taken, `replace` takes the place of the first that has it, `append` and `prepend` stand beside those that have it.
 */
export function insertRoute(policy: RoutingPolicy, table: number, route: Route, mode: InsertMode): InsertRouteResult {
  const routes = routesOf(policy, table);
  const first = routes.findIndex((other) => sameKey(other, route));
  if (first < 0) return mode === 'change' ? { ok: false, error: 'ENOENT' } : changed(policy, table, [...routes, route]);
  if (mode === 'add') return { ok: false, error: 'EEXIST' };
  const same = routes.findIndex((other) => sameKey(other, route) && sameRoute(other, route));
  switch (mode) {
    case 'replace':
    case 'change':
      if (same === first) return { ok: true, policy };
      if (same >= 0) return { ok: false, error: 'EEXIST' };
      return changed(policy, table, [...routes.slice(0, first), route, ...routes.slice(first + 1)]);
    case 'append':
      return same >= 0 ? { ok: false, error: 'EEXIST' } : changed(policy, table, [...routes, route]);
    case 'prepend':
      return same >= 0 ? { ok: false, error: 'EEXIST' } : changed(policy, table, [route, ...routes]);
  }
}

/** Takes the first route that matches out of a table, in the table's order; null when there is none. */
export function removeFirstRoute(policy: RoutingPolicy, table: number, matches: (route: Route) => boolean): RoutingPolicy | null {
  const routes = routesOf(policy, table);
  const index = routes.findIndex(matches);
  return index < 0 ? null : withTable(policy, table, [...routes.slice(0, index), ...routes.slice(index + 1)]);
}

/** Changes every route of every table; null takes it away. */
export function mapRoutes(policy: RoutingPolicy, change: (route: Route, table: number) => Route | null): RoutingPolicy {
  let result = policy;
  for (const [id, table] of policy.tables) {
    const routes = [...table.routes()];
    const kept = routes.flatMap((route) => change(route, id) ?? []);
    if (kept.length !== routes.length || kept.some((route, index) => route !== routes[index]))
      result = withTable(result, id, kept);
  }
  return result;
}

/** Do two routes say the same, whoever made them? */
export function sameRoute(a: Route, b: Route): boolean {
  return formatRoute(a) === formatRoute(b);
}

function sameKey(a: Route, b: Route): boolean {
  return sameCidr(a.dst, b.dst) && a.tos === b.tos && a.metric === b.metric;
}

function routesOf(policy: RoutingPolicy, table: number): readonly Route[] {
  return [...(policy.tables.get(table)?.routes() ?? [])];
}

function changed(policy: RoutingPolicy, table: number, routes: readonly Route[]): InsertRouteResult {
  return { ok: true, policy: withTable(policy, table, routes) };
}

function withTable(policy: RoutingPolicy, id: number, routes: readonly Route[]): RoutingPolicy {
  const table: RoutingTable = routingTable(id, routes);
  return { ...policy, tables: new Map(policy.tables).set(id, table) };
}
