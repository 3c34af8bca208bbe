import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from '../../routing/route.ts';
import { parseNumber, wrong } from '../arguments.ts';
import { unmodelled } from '../failure.ts';
import type { RouteScope, RouteType } from '../../routing/route.ts';

/** /etc/iproute2/rt_protos */
const PROTOCOLS: ReadonlyMap<number, string> = new Map([
  [1, 'redirect'],
  [2, 'kernel'],
  [3, 'boot'],
  [4, 'static'],
  [8, 'gated'],
  [9, 'ra'],
  [10, 'mrt'],
  [11, 'zebra'],
  [12, 'bird'],
  [13, 'dnrouted'],
  [14, 'xorp'],
  [15, 'ntk'],
  [16, 'dhcp'],
  [18, 'keepalived'],
  [42, 'babel'],
  [186, 'bgp'],
  [187, 'isis'],
  [188, 'ospf'],
  [189, 'rip'],
  [192, 'eigrp'],
]);

/** A table by name or number. */
export function parseTable(text: string): number {
  switch (text) {
    case 'local':
      return TABLE_LOCAL;
    case 'main':
      return TABLE_MAIN;
    case 'default':
      return TABLE_DEFAULT;
    default:
      return parseNumber(text) ?? wrong(text, '"table" value is invalid\n');
  }
}

/** The protocol as `ip route` prints it; null for boot, which it does not print. */
export function parseProtocol(text: string): string | null {
  const number = parseNumber(text);
  const name = number === null ? text : (PROTOCOLS.get(number) ?? String(number));
  if (number === null && ![...PROTOCOLS.values()].includes(text)) wrong(text, '"protocol" value is invalid\n');
  return name === 'boot' ? null : name;
}

export function parseScope(text: string): RouteScope {
  switch (text) {
    case 'global':
    case 'universe':
    case '0':
      return 'global';
    case 'link':
    case '253':
      return 'link';
    case 'host':
    case '254':
      return 'host';
    case 'nowhere':
    case '255':
      return 'nowhere';
    case 'site':
      return unmodelled('scope site');
    default:
      return parseNumber(text) === null ? wrong(text, 'invalid "scope" value\n') : unmodelled(`scope ${text}`);
  }
}

/** The type that a word names; undefined when it names none. */
export function parseRouteType(text: string): RouteType | undefined {
  switch (text) {
    case 'unicast':
    case 'local':
    case 'broadcast':
    case 'unreachable':
    case 'prohibit':
    case 'blackhole':
    case 'throw':
      return text;
    case 'anycast':
    case 'multicast':
    case 'nat':
    case 'xresolve':
      return unmodelled(`route type ${text}`);
    default:
      return undefined;
  }
}
