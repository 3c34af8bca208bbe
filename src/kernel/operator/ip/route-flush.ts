import { cidrContains, sameCidr } from '../../../net/cidr.ts';
import { TABLE_MAIN } from '../../routing/route.ts';
import { mapRoutes } from '../../routing/edit.ts';
import type { Arguments } from '../arguments.ts';
import { requireDevice } from '../devices.ts';
import { refuse, unmodelled } from '../failure.ts';
import { parseAddress, parsePrefix } from './addresses.ts';
import { parseProtocol, parseRouteType, parseScope, parseTable } from './names.ts';
import type { Host } from '../../host.ts';
import type { NextHop, Route } from '../../routing/route.ts';

type Filter = (route: Route) => boolean;

/** `ip route flush [table T] [root|match|exact] PREFIX, dev, via, proto, scope, type, src`: takes away every route that fits. */
export function flushRoutes(host: Host, args: Arguments): Host {
  if (args.done) refuse('"ip route flush" requires arguments.');
  let table: number | null = TABLE_MAIN;
  const filters: Filter[] = [];
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'cache':
        return host;
      case 'table':
        table = args.take('all') ? null : parseTable(args.next());
        break;
      case 'dev':
      case 'oif': {
        const { name } = requireDevice(host, args.next());
        filters.push((route) => onlyHop(route)?.dev === name);
        break;
      }
      case 'via': {
        const gateway = parseAddress(args.next());
        filters.push((route) => onlyHop(route)?.via === gateway);
        break;
      }
      case 'proto':
      case 'protocol': {
        const protocol = parseProtocol(args.next());
        filters.push((route) => route.protocol === protocol);
        break;
      }
      case 'scope': {
        const scope = parseScope(args.next());
        filters.push((route) => route.scope === scope);
        break;
      }
      case 'type': {
        const text = args.next();
        const type = parseRouteType(text) ?? refuse(`Error: argument "${text}" is wrong: node type value is invalid\n`);
        filters.push((route) => route.type === type);
        break;
      }
      case 'src': {
        const source = parseAddress(args.next());
        filters.push((route) => route.source === source);
        break;
      }
      default:
        filters.push(prefixFilter(word === 'to' ? args.next() : word, args));
    }
  }
  if (table !== null && !host.routing.tables.has(table)) refuse('Error: ipv4: FIB table does not exist.\nFlush terminated');
  const routing = mapRoutes(host.routing, (route, id) =>
    (table === null || id === table) && filters.every((fits) => fits(route)) ? null : route,
  );
  return { ...host, routing };
}

/** `dev` and `via` never fit a route with several next hops: those stand in another attribute of its message. */
function onlyHop(route: Route): NextHop | undefined {
  return route.nexthops.length === 1 ? route.nexthops[0] : undefined;
}

function prefixFilter(word: string, args: Arguments): Filter {
  if (word === 'tos' || word === 'dsfield' || word === 'from' || word === 'realms')
    return unmodelled(`ip route flush ... ${word}`);
  const keyword = word === 'root' || word === 'match' || word === 'exact';
  const text = keyword ? args.next() : word;
  if (text === 'all' || text === 'any') return () => true;
  const { cidr } = parsePrefix(text);
  if (word === 'root') return ({ dst }) => dst.length >= cidr.length && cidrContains(cidr, dst.address);
  if (word === 'match') return ({ dst }) => dst.length <= cidr.length && cidrContains(dst, cidr.address);
  return ({ dst }) => sameCidr(dst, cidr);
}
