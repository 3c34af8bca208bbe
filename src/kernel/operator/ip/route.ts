import { sameCidr } from '../../../net/cidr.ts';
import { TABLE_LOCAL, TABLE_MAIN } from '../../routing/route.ts';
import { insertRoute, removeFirstRoute } from '../../routing/edit.ts';
import { COMMAND_ORIGIN } from '../origin.ts';
import { Arguments, matchCommand } from '../arguments.ts';
import { ANSWER, refuse } from '../failure.ts';
import { requireDevice } from '../devices.ts';
import { destinationOf } from './addresses.ts';
import { flushRoutes } from './route-flush.ts';
import { resolveNextHop } from './gateway.ts';
import { readRoute } from './route-words.ts';
import type { Host } from '../../host.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { InsertMode } from '../../routing/edit.ts';
import type { NextHop, Route, RouteScope, RouteType } from '../../routing/route.ts';
import type { RouteWords } from './route-words.ts';

const COMMANDS = [
  'list',
  'show',
  'lst',
  'get',
  'add',
  'append',
  'prepend',
  'change',
  'chg',
  'replace',
  'delete',
  'flush',
  'save',
  'test',
] as const;

/** `ip route ...` (rtnetlink RTM_NEWROUTE, RTM_DELROUTE). */
export function ipRoute(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const command = matchCommand(word, COMMANDS);
  const args = new Arguments(rest);
  switch (command) {
    case 'list':
    case 'show':
    case 'lst':
    case 'get':
    case 'save':
    case 'test':
      return host;
    case 'add':
    case 'append':
    case 'prepend':
    case 'replace':
      return addRoute(host, readRoute(args), command);
    case 'change':
    case 'chg':
      return addRoute(host, readRoute(args), 'change');
    case 'delete':
      return deleteRoute(host, readRoute(args));
    case 'flush':
      return flushRoutes(host, args);
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip route help".`);
  }
}

function addRoute(host: Host, words: RouteWords, mode: InsertMode): Host {
  const type = words.type ?? 'unicast';
  const table = words.table || defaultTable(type);
  const hops = nextHops(host, words);
  const scope = words.scope ?? defaultScope(type, hops);
  const route: Route = {
    type,
    dst: destinationOf(words.dst),
    scope,
    nexthops: checkNextHops(host, type, table, scope, hops),
    source: words.source === undefined ? null : checkSource(host, words.source),
    metric: words.metric ?? 0,
    tos: words.tos ?? 0,
    protocol: words.protocol ?? null,
    mtu: words.mtu ?? null,
    ...(words.mtu !== undefined && words.mtuLocked && { mtuLocked: true }),
    origin: COMMAND_ORIGIN,
  };
  const result = insertRoute(host.routing, table, route, mode);
  return result.ok ? { ...host, routing: result.policy } : refuse(ANSWER[result.error]);
}

function nextHops(host: Host, words: RouteWords): readonly NextHop[] {
  const { via = null, dev = null, onlink = false } = words;
  const hops = words.nexthops ?? (via === null && dev === null ? [] : [{ via, dev, onlink, weight: 1 }]);
  return hops.map((hop) => (hop.dev === null ? hop : { ...hop, dev: requireDevice(host, hop.dev).name }));
}

/** fib_create_info: what a route of each type may and must have as next hops. */
function checkNextHops(
  host: Host,
  type: RouteType,
  table: number,
  scope: RouteScope,
  hops: readonly NextHop[],
): readonly NextHop[] {
  if (type === 'unreachable' || type === 'prohibit' || type === 'blackhole' || type === 'throw') {
    if (hops.length > 0) refuse('Error: Gateway, device and multipath can not be specified for this route type.');
    return [];
  }
  if (hops.length === 0) refuse(ANSWER.ENODEV);
  if (scope === 'nowhere') refuse('Error: Invalid scope.');
  if (scope === 'host' && hops.length !== 1) refuse('Error: Route with host scope can not have multiple nexthops.');
  if (scope === 'host' && hops.some(({ via }) => via !== null)) refuse('Error: Route with host scope can not have a gateway.');
  return hops.map((hop) => {
    if (scope === 'link' && hop.via !== null && hop.onlink) refuse('Error: Nexthop has invalid scope.');
    return scope === 'host' ? hop : resolveNextHop(host, table, scope, hop);
  });
}

/** fib_valid_prefsrc: the preferred source must be an address of this host. */
function checkSource(host: Host, source: IpAddress): IpAddress {
  const [route] = host.routing.tables.get(TABLE_LOCAL)?.lookup(source) ?? [];
  return route?.type === 'local' ? source : refuse('Error: Invalid prefsrc address.');
}

function deleteRoute(host: Host, words: RouteWords): Host {
  const table = words.table || defaultTable(words.type ?? 'unicast');
  if (!host.routing.tables.has(table)) refuse('Error: FIB table does not exist.');
  const meant = words.dev === undefined ? words : { ...words, dev: requireDevice(host, words.dev).name };
  const dst = destinationOf(words.dst);
  const routing = removeFirstRoute(host.routing, table, (route) => sameCidr(route.dst, dst) && isMeant(route, meant));
  return routing === null ? refuse(ANSWER.ESRCH) : { ...host, routing };
}

/** fib_table_delete and fib_nh_match: what is not said matches anything, but for the TOS. */
function isMeant(route: Route, words: RouteWords): boolean {
  const hops = words.nexthops ?? [{ via: words.via ?? null, dev: words.dev ?? null }];
  const [first] = route.nexthops;
  const hopsMatch =
    words.nexthops === undefined
      ? hops.every(({ via, dev }) => (via === null || first?.via === via) && (dev === null || first?.dev === dev))
      : hops.length === route.nexthops.length &&
        hops.every(({ via, dev }, index) => {
          const hop = route.nexthops[index];
          return (via === null || hop?.via === via) && (dev === null || hop?.dev === dev);
        });
  const scope = words.scope ?? (words.type === 'local' ? 'host' : words.type === 'broadcast' ? 'link' : undefined);
  return (
    route.tos === (words.tos ?? 0) &&
    (words.type === undefined || route.type === words.type) &&
    (scope === undefined || route.scope === scope) &&
    (words.source === undefined || route.source === words.source) &&
    (words.protocol === undefined || route.protocol === words.protocol) &&
    (!words.metric || route.metric === words.metric) &&
    (words.mtu === undefined || route.mtu === words.mtu) &&
    hopsMatch
  );
}

function defaultTable(type: RouteType): number {
  return type === 'local' || type === 'broadcast' ? TABLE_LOCAL : TABLE_MAIN;
}

function defaultScope(type: RouteType, hops: readonly NextHop[]): RouteScope {
  if (type === 'local') return 'host';
  if (type === 'broadcast') return 'link';
  return type === 'unicast' && hops.length === 1 && hops[0]?.via === null ? 'link' : 'global';
}
