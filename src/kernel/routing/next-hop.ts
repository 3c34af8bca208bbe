import { formatCidr } from '../../net/cidr.ts';
import type { Choices } from '../walk/choices.ts';
import type { Flow } from './lookup.ts';
import type { NextHop, Route } from './route.ts';

/**
 * fib_select_path: the next hop of a route. One of several is a choice of the walk, by weight; the kernel hashes the two addresses
 * (fib_multipath_hash, policy 0), so that all packets between them take the same.
 */
export function selectNextHop(route: Route, flow: Flow, choices: Choices): NextHop | null {
  const hops = flow.oif === null ? route.nexthops : route.nexthops.filter(({ dev }) => dev === flow.oif);
  if (hops.length <= 1) return hops[0] ?? null;
  const total = hops.reduce((sum, { weight }) => sum + weight, 0);
  const prefix = formatCidr(route.dst);
  const picked = choices.pickOnce(
    `${prefix} ${hops.map(({ via, dev }) => `${via} ${dev}`).join(' ')} ${flow.src} ${flow.dst}`,
    `next hop of ${prefix}`,
    hops.map(({ weight }) => weight / total),
  );
  return hops[picked] ?? null;
}
