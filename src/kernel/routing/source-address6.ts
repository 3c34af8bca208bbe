import { cidrContains, parseCidr } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { invariant } from '../../support/invariant.ts';
import { once } from '../../support/once.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress, Ipv6 } from '../../net/ip.ts';
import type { Host } from '../host.ts';

/** The kernel's default policy table (ip6addrlbl_init_table, RFC 6724 2.1), longest prefixes first. */
const labels = once((): readonly (readonly [Cidr, number])[] => [
  label('::1/128', 0),
  label('::ffff:0:0/96', 4),
  label('::/96', 3),
  label('2001::/32', 6),
  label('2001:10::/28', 7),
  label('3ffe::/16', 12),
  label('2002::/16', 2),
  label('fec0::/10', 11),
  label('fc00::/7', 5),
  label('::/0', 1),
]);

/** What an address is worth as a source, most important first: the rules of RFC 6724 that a namespace can differ in. */
type Score = readonly [sameAddress: number, scope: number, device: number, label: number, prefix: number];

/**
 * ipv6_dev_get_saddr: the source for a destination that is reached by a device, out of all addresses of the host: the destination
 * itself, then one of sufficient scope, of that device, with the destination's label, and with the longest common prefix. Null when the
 * host has no IPv6 address.
 */
export function selectAddress6(host: Host, device: string, towards: Ipv6): Ipv6 | null {
  let best: Ipv6 | null = null;
  let bestScore: Score | null = null;
  for (const { name, addresses, up } of host.devices.values()) {
    if (!up) continue;
    for (const { address, prefix } of addresses) {
      if (isIpv4(address)) continue;
      const score: Score = [
        Number(address === towards),
        scopeScore(address, towards),
        Number(name === device),
        Number(labelOf(address) === labelOf(towards)),
        Math.min(commonBits(address, towards), prefix.length),
      ];
      if (bestScore !== null && compareScores(score, bestScore) <= 0) continue;
      best = address;
      bestScore = score;
    }
  }
  return best;
}

/** Rule 2: the smallest scope that suffices is best, of those that don't suffice the largest. */
function scopeScore(address: Ipv6, towards: Ipv6): number {
  const wanted = scopeOf(towards);
  const scope = scopeOf(address);
  return scope >= wanted ? 100 - scope : scope - 100;
}

/** IPV6_ADDR_SCOPE_*: loopback addresses count as link-local ones do. */
function scopeOf(address: Ipv6): number {
  return address === 1n || address >> 118n === 0x3fan ? 2 : 14;
}

function compareScores(a: Score, b: Score): number {
  for (let rule = 0; rule < a.length; rule++) if (a[rule] !== b[rule]) return a[rule]! - b[rule]!;
  return 0;
}

function commonBits(a: Ipv6, b: Ipv6): number {
  const different = a ^ b;
  return different === 0n ? 128 : 128 - different.toString(2).length;
}

function labelOf(address: IpAddress): number {
  return labels().find(([prefix]) => cidrContains(prefix, address))?.[1] ?? 1;
}

function label(text: string, value: number): readonly [Cidr, number] {
  const prefix = parseCidr(text);
  invariant(prefix !== null, text);
  return [prefix, value];
}
