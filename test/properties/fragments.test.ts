import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reassemble } from '../../src/kernel/netfilter/defragment.ts';
import { HostState } from '../../src/kernel/state.ts';
import { fragment } from '../../src/kernel/walk/fragment.ts';
import { ipv4 } from '../../src/net/ip.ts';
import type { Packet } from '../../src/net/packet.ts';

test('fragments in any order, cut again on the way, make the datagram they were cut from', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 28, max: 9000 }),
      fc.integer({ min: 68, max: 9000 }),
      fc.integer({ min: 68, max: 9000 }),
      fc.infiniteStream(fc.nat()),
      (length, mtu, smaller, order) => {
        const whole: Packet = {
          src: ipv4(1),
          dst: ipv4(2),
          ttl: 64,
          tos: 0,
          df: false,
          length,
          l4: { protocol: 'udp', sport: 1, dport: 2 },
        };
        const pieces = fragment(whole, mtu).flatMap((piece) => fragment(piece, smaller));
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(Math.max(Math.min(mtu, smaller), 28));
        const shuffled = pieces.map((piece) => ({ piece, key: order.next().value })).sort((a, b) => a.key - b.key);
        const state = new HostState();
        const results = shuffled.map(({ piece }) => reassemble(state, piece));
        expect(results.filter((result) => result !== null)).toHaveLength(1);
        expect(results.at(-1)?.packet).toEqual(whole);
        expect(state.fragments.size).toBe(0);
      },
    ),
  );
});
