import { addToIp } from '../../net/ip.ts';
import { cidrContains, cidrOf, cidrsOverlap } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';

/** A part of the ring and who owns it; null: nobody. */
interface Share {
  readonly owner: string | null;
  readonly cidr: Cidr;
}

/**
 * How Weave Net's peers divide a range (ipam/ring): the first owns all of it, and whoever joins gets what nobody owns, else the upper half
 * of the largest share. `given`: shares of peers, by name. A peer for which nothing is left is not in the result.
 */
export function shareRing(range: Cidr, peers: readonly string[], given: ReadonlyMap<string, Cidr>): ReadonlyMap<string, Cidr> {
  const owned = [...given].filter(([, cidr]) => isWithin(cidr, range)).map(([owner, cidr]): Share => ({ owner, cidr }));
  const free = without(
    range,
    owned.map(({ cidr }) => cidr),
  ).map((cidr): Share => ({ owner: null, cidr }));
  let shares: readonly Share[] = [...owned, ...free];
  for (const peer of peers) {
    if (shares.some(({ owner }) => owner === peer)) continue;
    const from = largest(shares.filter(({ owner }) => owner === null)) ?? largest(shares);
    if (from === undefined || (from.owner !== null && from.cidr.length >= MOST_DIVIDED)) continue;
    const [lower, upper] = from.owner === null ? [null, from.cidr] : halves(from.cidr);
    const rest = shares.map((share) => (share === from && lower !== null ? { ...from, cidr: lower } : share));
    shares = [...rest.filter((share) => share !== from), { owner: peer, cidr: upper }];
  }
  return new Map(shares.flatMap(({ owner, cidr }) => (owner === null ? [] : [[owner, cidr] as const])));
}

/** A share has room for a bridge and a pod. */
const MOST_DIVIDED = 30;

function largest(shares: readonly Share[]): Share | undefined {
  return shares.reduce<Share | undefined>(
    (best, share) => (best && best.cidr.length <= share.cidr.length ? best : share),
    undefined,
  );
}

function halves({ address, length }: Cidr): readonly [Cidr, Cidr] {
  return [cidrOf(address, length + 1), cidrOf(addToIp(address, 2 ** (32 - length - 1)), length + 1)];
}

/** What of a range nobody has, in as few parts as can be. */
function without(range: Cidr, taken: readonly Cidr[]): readonly Cidr[] {
  const inside = taken.filter((cidr) => cidrsOverlap(cidr, range));
  if (inside.length === 0) return [range];
  if (inside.some((cidr) => isWithin(range, cidr))) return [];
  return halves(range).flatMap((half) => without(half, inside));
}

function isWithin(inner: Cidr, outer: Cidr): boolean {
  return inner.length >= outer.length && cidrContains(outer, inner.address);
}
