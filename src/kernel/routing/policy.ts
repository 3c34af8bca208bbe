import { deviceRoutes } from './connected.ts';
import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from './route.ts';
import { mergedTable, routingTable } from './table.ts';
import type { Device } from '../device/device.ts';
import type { TableRoute } from './connected.ts';
import type { Route, RoutingPolicy, RoutingRule, RoutingTable } from './route.ts';

/** The rules of a fresh namespace (fib_default_rules_init, fib6_rules_net_init). */
export const DEFAULT_RULES: readonly RoutingRule[] = [
  lookupRule(4, 0, TABLE_LOCAL),
  lookupRule(6, 0, TABLE_LOCAL),
  lookupRule(4, 32766, TABLE_MAIN),
  lookupRule(6, 32766, TABLE_MAIN),
  lookupRule(4, 32767, TABLE_DEFAULT),
];

/**
 * The routing of a namespace with default rules: what the kernel makes for the devices' addresses, then `routes` in order. `generated`
 * are further parts of the main table that are too large to list, `rules` those beside the default ones.
 */
export function routingPolicy(
  devices: Iterable<Device>,
  routes: readonly TableRoute[],
  generated: readonly RoutingTable[] = [],
  rules: readonly RoutingRule[] = [],
): RoutingPolicy {
  const byTable = new Map<number, Route[]>([
    [TABLE_LOCAL, []],
    [TABLE_MAIN, []],
  ]);
  const add = ({ table, route }: TableRoute): void => {
    const list = byTable.get(table);
    if (list) list.push(route);
    else byTable.set(table, [route]);
  };
  for (const device of devices) deviceRoutes(device).forEach(add);
  routes.forEach(add);
  const tables = new Map<number, RoutingTable>();
  for (const [id, list] of byTable) {
    const table = routingTable(id, list);
    tables.set(id, id === TABLE_MAIN && generated.length > 0 ? mergedTable(id, [table, ...generated]) : table);
  }
  const all = rules.length === 0 ? DEFAULT_RULES : [...DEFAULT_RULES, ...rules].sort((a, b) => a.priority - b.priority);
  return { rules: all, tables };
}

/** A rule of `ip rule` that sends all packets of a family to a table. */
export function lookupRule(family: 4 | 6, priority: number, table: number): RoutingRule {
  return {
    priority,
    family,
    invert: false,
    from: null,
    to: null,
    iif: null,
    oif: null,
    mark: null,
    protocol: null,
    sport: null,
    dport: null,
    suppressPrefixLength: null,
    action: { kind: 'lookup', table },
  };
}
