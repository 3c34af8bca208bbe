import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEntry } from '../../src/kernel/netfilter/conntrack/entry.ts';
import { ConntrackTable } from '../../src/kernel/netfilter/conntrack/table.ts';
import { invertTuple, tupleKey } from '../../src/kernel/netfilter/conntrack/tuple.ts';
import { ipv4, ipv6 } from '../../src/net/ip.ts';
import type { ConntrackEntry } from '../../src/kernel/netfilter/conntrack/entry.ts';
import type { Tuple } from '../../src/kernel/netfilter/conntrack/tuple.ts';

/** What a table has to be: a list, searched from its beginning and copied as a whole. */
class PlainTable {
  entries: ConntrackEntry[] = [];

  find(tuple: Tuple, now: number): ConntrackEntry | undefined {
    const key = tupleKey(tuple);
    const found = this.entries.find(({ original, reply }) => [original, reply].some((own) => tupleKey(own) === key));
    if (!found || found.expires > now) return found;
    this.delete(found);
    return undefined;
  }

  insert(entry: ConntrackEntry, now: number): boolean {
    if (this.find(entry.original, now) || this.find(entry.reply, now)) return false;
    this.entries.push({ ...entry, confirmed: true });
    return true;
  }

  delete(entry: ConntrackEntry): void {
    this.entries = this.entries.filter((other) => other !== entry);
  }

  copy(): PlainTable {
    const copy = new PlainTable();
    copy.entries = this.entries.map((entry) => ({ ...entry }));
    return copy;
  }
}

const tuple: fc.Arbitrary<Tuple> = fc
  .tuple(fc.constantFrom('tcp', 'udp'), fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2))
  .map(([protocol, src, dst, sport, dport]) => ({ protocol, src: ipv4(src), dst: ipv4(dst), sport, dport }));

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('insert' as const), original: tuple, reply: tuple, life: fc.nat(20) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('mark' as const), at: fc.nat(5), isReply: fc.boolean(), tuple, mark: fc.nat(9) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat(5), isReply: fc.boolean(), tuple }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete-listed' as const), at: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fork' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), time: fc.nat(4) }) },
);

/** Mostly the tuple of an entry, else any. */
function wantedTuple(
  entries: readonly ConntrackEntry[],
  step: { readonly at: number; readonly isReply: boolean; readonly tuple: Tuple },
): Tuple {
  const entry = entries[step.at];
  return entry ? entry[step.isReply ? 'reply' : 'original'] : step.tuple;
}

test('a table of forks over forks is a list that is copied, and what was forked stays as it was', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
      let [table, plain, now] = [new ConntrackTable(), new PlainTable(), 0];
      const originals: [ConntrackTable, readonly ConntrackEntry[]][] = [];
      for (const step of operations) {
        switch (step.kind) {
          case 'insert': {
            const entry = { ...newEntry(step.original, step.reply), expires: now + step.life };
            if (tupleKey(step.original) === tupleKey(step.reply)) break;
            expect(table.insert({ ...entry }, now)).toBe(plain.insert(entry, now));
            break;
          }
          case 'mark': {
            const looked = wantedTuple(plain.entries, step);
            const [found, wanted] = [table.find(looked, now), plain.find(looked, now)];
            expect(found?.entry).toEqual(wanted);
            if (!found || !wanted) break;
            expect(tupleKey(found.entry[found.direction])).toBe(tupleKey(looked));
            found.entry.mark = step.mark;
            wanted.mark = step.mark;
            break;
          }
          case 'delete': {
            const looked = wantedTuple(plain.entries, step);
            const [found, wanted] = [table.find(looked, now), plain.find(looked, now)];
            if (found) table.delete(found.entry);
            if (wanted) plain.delete(wanted);
            break;
          }
          case 'delete-listed': {
            const [found, wanted] = [table.entries()[step.at], plain.entries[step.at]];
            if (found) table.delete(found);
            if (wanted) plain.delete(wanted);
            break;
          }
          case 'fork':
            originals.push([table, plain.copy().entries]);
            [table, plain] = [table.fork(), plain.copy()];
            break;
          case 'wait':
            now += step.time;
        }
        expect(table.entries()).toEqual(plain.entries);
      }
      for (const [original, entries] of originals) expect(original.entries()).toEqual(entries);
    }),
    { numRuns: 300 },
  );
});

test('keys of tuples tell all of them apart', () => {
  const address = fc.oneof(
    fc.nat().map((value) => ipv4(value)),
    fc.bigInt(0n, (1n << 128n) - 1n).map((value) => ipv6(value)),
  );
  const port = fc.nat(65535);
  const anyTuple = fc.record({
    protocol: fc.constantFrom('tcp', 'udp', 'sctp', 'icmp', 'icmpv6', '47', '4'),
    src: address,
    dst: address,
    sport: port,
    dport: port,
  });
  fc.assert(
    fc.property(anyTuple, fc.constantFrom('protocol', 'src', 'dst', 'sport', 'dport'), anyTuple, (one, changed, other) => {
      const two = { ...one, [changed]: other[changed as keyof Tuple] };
      expect(tupleKey(two) === tupleKey(one)).toBe(one[changed as keyof Tuple] === other[changed as keyof Tuple]);
      expect(tupleKey({ ...one })).toBe(tupleKey(one));
      expect(invertTuple(one)).not.toBe(one);
    }),
  );
});
