import { cidrContains, isIpv4Cidr } from '../../net/cidr.ts';
import { compareIp } from '../../net/ip.ts';
import type { Route } from './route.ts';

/**
 * Which of two routes that match one destination the kernel prefers: the longer prefix, then the larger TOS, then the smaller
 * metric (fib_find_alias in net/ipv4/fib_trie.c keeps aliases in that order). 0: the one that was there first.
 */
export function compareRoutes(a: Route, b: Route): number {
  return b.dst.length - a.dst.length || b.tos - a.tos || a.metric - b.metric;
}

/** Order of `ip route`: IPv4 by the walk of the trie (address, then {@link compareRoutes}), then IPv6 with longer prefixes first. */
export function compareForListing(a: Route, b: Route): number {
  if (isIpv4Cidr(a.dst) !== isIpv4Cidr(b.dst)) return isIpv4Cidr(a.dst) ? -1 : 1;
  if (!isIpv4Cidr(a.dst)) {
    // fib6_walk visits children before the node itself; a prefix may begin with the same address as the longer one inside.
    if (a.dst.length < b.dst.length && cidrContains(a.dst, b.dst.address)) return 1;
    if (b.dst.length < a.dst.length && cidrContains(b.dst, a.dst.address)) return -1;
  }
  return compareIp(a.dst.address, b.dst.address) || compareRoutes(a, b);
}
