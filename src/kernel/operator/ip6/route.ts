import { sameCidr } from '../../../net/cidr.ts';
import { ipv6 } from '../../../net/ip.ts';
import { cidrOf } from '../../../net/cidr.ts';
import { METRIC6 } from '../../routing/build.ts';
import { insertRoute, removeFirstRoute } from '../../routing/edit.ts';
import { TABLE_LOCAL, TABLE_MAIN } from '../../routing/route.ts';
import { Arguments, matchCommand, numberFor } from '../arguments.ts';
import { requireDevice } from '../devices.ts';
import { ANSWER, refuse, unmodelled } from '../failure.ts';
import { parseProtocol, parseRouteType, parseTable } from '../ip/names.ts';
import { readWeight } from '../ip/route-words.ts';
import { COMMAND_ORIGIN } from '../origin.ts';
import { hasIpv6, parseAddress6, parsePrefix6 } from './words.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { Ipv6 } from '../../../net/ip.ts';
import type { Host } from '../../host.ts';
import type { NextHop, Route, RouteType } from '../../routing/route.ts';

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
] as const;

/** `ip -6 route ...` (ip6_route_add, ip6_route_multipath_add, ip6_route_del). */
export function ip6Route(host: Host, words: readonly string[]): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const command = matchCommand(word, COMMANDS);
  switch (command) {
    case 'list':
    case 'show':
    case 'lst':
    case 'get':
      return host;
    case 'add':
    case 'replace':
      return addRoute(host, readRoute(host, new Arguments(rest)), command);
    case 'change':
    case 'chg':
      return addRoute(host, readRoute(host, new Arguments(rest)), 'change');
    case 'delete':
      return deleteRoute(host, readRoute(host, new Arguments(rest)));
    case 'append':
      return appendRoute(host, readRoute(host, new Arguments(rest)));
    case 'prepend':
    case 'flush':
      return unmodelled(`ip -6 route ${command}`);
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip route help".`);
  }
}

interface HopWords {
  readonly via?: Ipv6;
  readonly dev?: string;
  readonly onlink?: boolean;
  readonly weight?: number;
}

interface RouteWords {
  type?: RouteType;
  dst: Cidr;
  via?: Ipv6;
  dev?: string;
  onlink?: boolean;
  /** Several next hops, each with its weight. */
  hops?: readonly HopWords[];
  source?: Ipv6;
  table: number;
  metric?: number;
  protocol?: string | null;
  mtu?: number;
  mtuLocked?: boolean;
}

function readRoute(host: Host, args: Arguments): RouteWords {
  const route: RouteWords = { dst: cidrOf(ipv6(0n), 0), table: TABLE_MAIN };
  let hasDestination = false;
  while (!args.done) {
    const word = args.next();
    const type = parseRouteType(word);
    if (type !== undefined) route.type = type;
    else if (word === 'via') {
      args.take('inet6');
      route.via = parseAddress6(args.next());
    } else if (word === 'dev') route.dev = requireDevice(host, args.next()).name;
    else if (word === 'src') route.source = parseAddress6(args.next());
    else if (word === 'table') route.table = parseTable(args.next()) || TABLE_MAIN;
    else if (word === 'metric') route.metric = numberFor(args.next(), '"metric" value is invalid\n');
    else if (word === 'proto') route.protocol = parseProtocol(args.next());
    else if (word === 'onlink') route.onlink = true;
    else if (word === 'nexthop') route.hops = readHops(host, args);
    else if (word === 'pref' || word === 'scope') args.next();
    else if (word === 'mtu') {
      route.mtuLocked = args.take('lock');
      route.mtu = numberFor(args.next(), '"mtu" value is invalid\n');
    } else if (hasDestination) unmodelled(`ip -6 route ... ${word}`);
    else {
      hasDestination = true;
      route.dst = parsePrefix6(word === 'to' ? args.next() : word).cidr;
    }
  }
  return route;
}

/** `nexthop via A dev D weight N onlink nexthop ...`; they end the route's words (parse_nexthops). */
function readHops(host: Host, args: Arguments): readonly HopWords[] {
  const hops: HopWords[] = [];
  do {
    let hop: HopWords = {};
    while (!args.done && args.peek() !== 'nexthop') {
      const word = args.next();
      if (word === 'via') {
        args.take('inet6');
        hop = { ...hop, via: parseAddress6(args.next()) };
      } else if (word === 'dev') hop = { ...hop, dev: requireDevice(host, args.next()).name };
      else if (word === 'onlink') hop = { ...hop, onlink: true };
      else if (word === 'weight') hop = { ...hop, weight: readWeight(args.next()) };
      else refuse(`Error: "nexthop" or end of line is expected instead of "${word}"`);
    }
    hops.push(hop);
  } while (args.take('nexthop'));
  return hops;
}

function addRoute(host: Host, words: RouteWords, mode: 'add' | 'replace' | 'change'): Host {
  if (!hasIpv6(host)) return refuse('Error: IPv6 is disabled on nexthop device.');
  const route = routeOf(host, words);
  const result = insertRoute(host.routing, words.table, route, mode);
  if (result.ok) return { ...host, routing: result.policy };
  return refuse(result.error === 'ENOENT' ? 'Error: Can not replace route - no match found.' : ANSWER[result.error]);
}

/** fib6_add_rt2node: a gateway more for the same destination and metric makes one route of several ways; else it is a route of its own. */
function appendRoute(host: Host, words: RouteWords): Host {
  const added = routeOf(host, words);
  const routes = host.routing.tables.get(words.table)?.routes() ?? [];
  const isSibling = (route: Route): boolean =>
    sameCidr(route.dst, added.dst) &&
    route.metric === added.metric &&
    [...route.nexthops, ...added.nexthops].every(({ via }) => via !== null);
  const sibling = [...routes].find(isSibling);
  if (!sibling || added.nexthops.length === 0) return addRoute(host, words, 'add');
  if (added.nexthops.some(({ via, dev }) => sibling.nexthops.some((hop) => hop.via === via && hop.dev === dev)))
    refuse(ANSWER.EEXIST);
  const joined = { ...sibling, nexthops: [...sibling.nexthops, ...added.nexthops] };
  const result = insertRoute(host.routing, words.table, joined, 'replace');
  return result.ok ? { ...host, routing: result.policy } : refuse(ANSWER[result.error]);
}

function routeOf(host: Host, words: RouteWords): Route {
  const type = words.type ?? 'unicast';
  if (type === 'local' || type === 'broadcast') return unmodelled(`ip -6 route ... ${type}`);
  if (words.source !== undefined && !isOwn(host, words.source)) return refuse('Error: Invalid source address.');
  return {
    type,
    dst: words.dst,
    scope: 'global',
    nexthops: type === 'unicast' ? (words.hops ?? [words]).map((hop) => nextHop(host, hop)) : [],
    source: words.source ?? null,
    metric: words.metric || METRIC6,
    tos: 0,
    protocol: words.protocol ?? null,
    mtu: words.mtu ?? null,
    ...(words.mtu !== undefined && words.mtuLocked && { mtuLocked: true as const }),
    origin: COMMAND_ORIGIN,
  };
}

/** ip6_route_check_nh: a gateway is link-local, on the link by another route, or taken at its word with onlink. */
function nextHop(host: Host, { via, dev, onlink = false, weight = 1 }: HopWords): NextHop {
  if (via === undefined) {
    if (dev === undefined) return refuse(ANSWER.ENODEV);
    return { via: null, dev: isUp(host, dev), onlink: false, weight };
  }
  if (isOwn(host, via)) return refuse('Error: Gateway can not be a local address.');
  const isLinkLocal = via >> 118n === 0x3fan;
  if (dev !== undefined && (onlink || isLinkLocal)) return { via, dev: isUp(host, dev), onlink, weight };
  for (const route of host.routing.tables.get(TABLE_MAIN)?.lookup(via) ?? []) {
    const hop = route.nexthops.find((candidate) => dev === undefined || candidate.dev === dev);
    if (route.type !== 'unicast' || hop?.dev == null) continue;
    return hop.via === null ? { via, dev: isUp(host, hop.dev), onlink, weight } : refuse('RTNETLINK answers: No route to host');
  }
  return refuse('RTNETLINK answers: No route to host');
}

function isUp(host: Host, device: string): string {
  return host.devices.get(device)?.up === true ? device : refuse('Error: Nexthop device is not up.');
}

function isOwn(host: Host, address: Ipv6): boolean {
  const [route] = host.routing.tables.get(TABLE_LOCAL)?.lookup(address) ?? [];
  return route?.type === 'local';
}

/** ip6_route_del: what is not said matches anything. */
function deleteRoute(host: Host, words: RouteWords): Host {
  const isMeant = (route: Route): boolean =>
    sameCidr(route.dst, words.dst) &&
    (words.type === undefined || route.type === words.type) &&
    (words.via === undefined || route.nexthops.some(({ via }) => via === words.via)) &&
    (words.dev === undefined || route.nexthops.some(({ dev }) => dev === words.dev)) &&
    (!words.metric || route.metric === words.metric) &&
    (words.protocol === undefined || route.protocol === words.protocol) &&
    (words.source === undefined || route.source === words.source);
  const routing = removeFirstRoute(host.routing, words.table, isMeant);
  return routing === null ? refuse(ANSWER.ESRCH) : { ...host, routing };
}
