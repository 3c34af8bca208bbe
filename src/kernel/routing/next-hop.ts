import { formatCidr } from '../../net/cidr.ts';
import type { Choices } from '../walk/choices.ts';
import type { Flow } from './lookup.ts';
import type { NextHop, Route } from './route.ts';

/** fib_select_path: the next hop of a route; one of several by weight, a choice of the walk (the kernel hashes the addresses). */
export function selectNextHop(route: Route, flow: Flow, choices: Choices): NextHop | null {
  const hops = flow.oif === null ? route.nexthops : route.nexthops.filter(({ dev }) => dev === flow.oif);
  if (hops.length <= 1) return hops[0] ?? null;
  const total = hops.reduce((sum, { weight }) => sum + weight, 0);
  const picked = choices.pick(
    `next hop of ${formatCidr(route.dst)}`,
    hops.map(({ weight }) => weight / total),
  );
  return hops[picked] ?? null;
}
