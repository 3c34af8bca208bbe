import { numberFor } from '../arguments.ts';
import { refuse, unmodelled } from '../failure.ts';
import { parseAddress, parsePrefix } from './addresses.ts';
import { parseProtocol, parseRouteType, parseScope, parseTable } from './names.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Arguments } from '../arguments.ts';
import type { WrittenPrefix } from './addresses.ts';
import type { NextHop, RouteScope, RouteType } from '../../routing/route.ts';

/** What the words of `ip route add|del ...` say; undefined: not said. */
export interface RouteWords {
  type?: RouteType;
  /** Host bits and all. */
  dst?: WrittenPrefix;
  via?: IpAddress;
  dev?: string;
  onlink?: boolean;
  nexthops?: NextHop[];
  source?: IpAddress;
  table?: number;
  metric?: number;
  tos?: number;
  scope?: RouteScope;
  protocol?: string | null;
  mtu?: number;
  mtuLocked?: boolean;
}

/** Metrics that decide nothing here: they shape TCP or IPv6. */
const OTHER_METRICS: readonly string[] = [
  'hoplimit',
  'advmss',
  'reordering',
  'rtt',
  'rttvar',
  'rto_min',
  'window',
  'cwnd',
  'initcwnd',
  'initrwnd',
  'quickack',
  'congctl',
  'features',
  'ssthresh',
  'fastopen_no_cookie',
];
const NOT_MODELLED: readonly string[] = ['encap', 'nhid', 'vrf', 'realms', 'expires', 'ttl-propagate', 'from'];

/** Reads the words of one route (iproute_modify in iproute2's ip/iproute.c). */
export function readRoute(args: Arguments): RouteWords {
  const route: RouteWords = {};
  if (args.done) args.next();
  while (!args.done) {
    const word = args.next();
    switch (word) {
      case 'via':
        route.via = readVia(args);
        break;
      case 'dev':
      case 'oif':
        route.dev = args.next();
        break;
      case 'src':
        route.source = parseAddress(args.next());
        break;
      case 'table':
        route.table = parseTable(args.next());
        break;
      case 'metric':
      case 'priority':
      case 'preference':
        route.metric = numberFor(args.next(), '"metric" value is invalid\n');
        break;
      case 'tos':
      case 'dsfield':
        route.tos = readTos(args.next());
        break;
      case 'scope':
        route.scope = parseScope(args.next());
        break;
      case 'proto':
      case 'protocol':
        route.protocol = parseProtocol(args.next());
        break;
      case 'mtu':
        route.mtuLocked = args.take('lock');
        route.mtu = numberFor(args.next(), '"mtu" value is invalid\n');
        break;
      case 'onlink':
        route.onlink = true;
        break;
      case 'pref':
        args.next();
        break;
      case 'nexthop':
        route.nexthops = readNextHops(args);
        break;
      default:
        readOther(word, args, route);
    }
  }
  return route;
}

function readOther(word: string, args: Arguments, route: RouteWords): void {
  if (NOT_MODELLED.includes(word)) unmodelled(`ip route ... ${word}`);
  if (OTHER_METRICS.includes(word)) {
    args.take('lock');
    args.next();
    return;
  }
  let text = word === 'to' ? args.next() : word;
  const type = parseRouteType(text);
  if (type !== undefined) {
    route.type = type;
    if (args.done) return;
    text = args.next();
  }
  if (route.dst !== undefined) refuse(`Error: either "to" is duplicate, or "${text}" is a garbage.`);
  route.dst = parsePrefix(text);
}

/** `nexthop via A dev D weight N onlink nexthop ...`; they end the route's words. */
function readNextHops(args: Arguments): NextHop[] {
  const hops: NextHop[] = [];
  do {
    let hop: NextHop = { via: null, dev: null, onlink: false, weight: 1 };
    while (!args.done && args.peek() !== 'nexthop') {
      const word = args.next();
      if (word === 'via') hop = { ...hop, via: readVia(args) };
      else if (word === 'dev') hop = { ...hop, dev: args.next() };
      else if (word === 'onlink') hop = { ...hop, onlink: true };
      else if (word === 'weight') hop = { ...hop, weight: readWeight(args.next()) };
      else if (word === 'realms' || word === 'encap') unmodelled(`nexthop ... ${word}`);
      else refuse(`Error: "nexthop" or end of line is expected instead of "${word}"`);
    }
    hops.push(hop);
  } while (args.take('nexthop'));
  return hops;
}

function readVia(args: Arguments): IpAddress {
  if (args.take('inet6')) unmodelled('an IPv6 next hop');
  args.take('inet');
  return parseAddress(args.next());
}

/** Weight of a next hop, 1 to 256. */
export function readWeight(text: string): number {
  const weight = numberFor(text, '"weight" is invalid\n');
  return weight >= 1 && weight <= 256 ? weight : refuse(`Error: argument "${text}" is wrong: "weight" is invalid\n`);
}

/** Hexadecimal even without 0x (rtnl_dsfield_a2n). */
function readTos(text: string): number {
  if (!/^(0x)?[0-9a-f]{1,2}$/i.test(text)) refuse(`Error: argument "${text}" is wrong: "tos" value is invalid\n`);
  const tos = Number.parseInt(text, 16);
  return (tos & 3) === 0 ? tos : refuse('Error: Invalid dsfield (tos): ECN bits must be 0.');
}
