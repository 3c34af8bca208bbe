import { cidrBits, isIpv4Cidr } from '../../net/cidr.ts';
import { formatIp } from '../../net/ip.ts';
import { TABLE_DEFAULT, TABLE_LOCAL, TABLE_MAIN } from './route.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { NextHop, Route } from './route.ts';

/** A route as `ip route` prints it (print_route in iproute2), on one line: next hops of a multipath route follow it. */
export function formatRoute(route: Route): string {
  const words: string[] = [];
  if (route.type !== 'unicast') words.push(route.type);
  words.push(formatDestination(route.dst));
  if (route.tos !== 0) words.push('tos', `0x${route.tos.toString(16).padStart(2, '0')}`);
  const isIpv4 = isIpv4Cidr(route.dst);
  const only = route.nexthops.length === 1 ? route.nexthops[0] : undefined;
  // What refuses IPv6 packets stands on lo (fib6_create).
  if (!isIpv4 && route.nexthops.length === 0) words.push('dev', 'lo');
  if (only) words.push(...formatHop(only));
  if (route.protocol !== null) words.push('proto', route.protocol);
  if (route.scope !== 'global') words.push('scope', route.scope);
  if (route.source !== null) words.push('src', formatIp(route.source));
  if (route.metric !== 0 || !isIpv4) words.push('metric', String(route.metric));
  if (only?.onlink) words.push('onlink');
  if (route.mtu !== null) words.push('mtu', ...(route.mtuLocked ? ['lock'] : []), String(route.mtu));
  if (!isIpv4) words.push('pref', 'medium');
  if (!only) {
    for (const hop of route.nexthops) {
      words.push('nexthop', ...formatHop(hop), 'weight', String(hop.weight), ...(hop.onlink ? ['onlink'] : []));
    }
  }
  return words.join(' ');
}

/** A table by its name in /etc/iproute2/rt_tables, else by number. */
export function formatTable(table: number): string {
  switch (table) {
    case TABLE_LOCAL:
      return 'local';
    case TABLE_MAIN:
      return 'main';
    case TABLE_DEFAULT:
      return 'default';
    default:
      return String(table);
  }
}

function formatDestination(dst: Cidr): string {
  if (dst.length === 0) return 'default';
  const address = formatIp(dst.address);
  return dst.length === cidrBits(dst) ? address : `${address}/${dst.length}`;
}

function formatHop(hop: NextHop): string[] {
  return [...(hop.via === null ? [] : ['via', formatIp(hop.via)]), ...(hop.dev === null ? [] : ['dev', hop.dev])];
}
