import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cidrContains, cidrOf } from '../../src/net/cidr.ts';
import { ipv4, ipv6 } from '../../src/net/ip.ts';
import { unicastRoute } from '../../src/kernel/routing/build.ts';
import { compareRoutes } from '../../src/kernel/routing/order.ts';
import { mergedTable, routingTable } from '../../src/kernel/routing/table.ts';
import type { IpAddress } from '../../src/net/ip.ts';
import type { Route } from '../../src/kernel/routing/route.ts';

// Few distinct address bits, so that prefixes nest and repeat.
const address4 = fc.integer({ min: 0, max: 0xff }).map((bits) => ipv4(0x0a000000 | ((bits & 0xf0) << 12) | (bits & 0x0f)));
const address6 = fc.integer({ min: 0, max: 0xff }).map((bits) => ipv6((0xfd00n << 112n) | (BigInt(bits) << 60n)));
const prefix4 = fc.tuple(address4, fc.integer({ min: 0, max: 32 })).map(([address, length]) => cidrOf(address, length));
const prefix6 = fc.tuple(address6, fc.integer({ min: 0, max: 128 })).map(([address, length]) => cidrOf(address, length));
const route: fc.Arbitrary<Route> = fc
  .record({ dst: fc.oneof(prefix4, prefix6), metric: fc.integer({ min: 0, max: 2 }), tos: fc.constantFrom(0, 0x10) })
  .map(({ dst, metric, tos }) => ({ ...unicastRoute(dst, { dev: 'eth0' }), metric, tos }));
const routes = fc.array(route, { maxLength: 40 });
const anyAddress = fc.oneof<fc.Arbitrary<IpAddress>[]>(address4, address6);

/** The reference: every route that contains the address, in order of preference. */
function scan(list: readonly Route[], dst: IpAddress): Route[] {
  return list.filter((candidate) => cidrContains(candidate.dst, dst)).sort(compareRoutes);
}

describe('routing table', () => {
  test('orders routes of IPv6 whose prefixes begin with one address', () => {
    const of = (length: number, metric: number): Route => ({
      ...unicastRoute(cidrOf(ipv6(0xfd00n << 112n), length), { dev: 'eth0' }),
      metric,
    });
    const [wide, long, first] = [of(14, 1), of(15, 0), of(14, 0)];
    expect([...routingTable(254, [wide, long, first]).routes()]).toEqual([long, first, wide]);
  });

  test('finds what a scan of all routes finds, in the same order', () => {
    fc.assert(
      fc.property(routes, anyAddress, (list, dst) => {
        expect([...routingTable(254, list).lookup(dst)]).toEqual(scan(list, dst));
      }),
      { numRuns: 500 },
    );
  });

  test('a table in parts finds what one table finds', () => {
    fc.assert(
      fc.property(routes, routes, anyAddress, (a, b, dst) => {
        const merged = mergedTable(254, [routingTable(254, a), routingTable(254, b)]);
        expect([...merged.lookup(dst)]).toEqual(scan([...a, ...b], dst));
      }),
      { numRuns: 300 },
    );
  });

  test('lists every route once, and a table made of the list is the same', () => {
    fc.assert(
      fc.property(routes, (list) => {
        const listed = [...routingTable(254, list).routes()];
        expect(new Set(listed)).toEqual(new Set(list));
        expect(listed).toHaveLength(list.length);
        expect([...routingTable(254, listed).routes()]).toEqual(listed);
      }),
      { numRuns: 300 },
    );
  });
});
