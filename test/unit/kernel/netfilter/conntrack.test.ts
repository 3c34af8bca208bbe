import { describe, expect, test } from 'vitest';
import { newEntry } from '../../../../src/kernel/netfilter/conntrack/entry.ts';
import { relatedEntry } from '../../../../src/kernel/netfilter/conntrack/related.ts';
import { ConntrackTable } from '../../../../src/kernel/netfilter/conntrack/table.ts';
import { nextTcpState } from '../../../../src/kernel/netfilter/conntrack/tcp-state.ts';
import { formatTuple, invertTuple, tupleOf } from '../../../../src/kernel/netfilter/conntrack/tuple.ts';
import { parseIpv4 } from '../../../../src/net/ip.ts';
import { TCP_FLAG } from '../../../../src/net/packet.ts';
import type { L4Header, Packet } from '../../../../src/net/packet.ts';
import type { Tuple } from '../../../../src/kernel/netfilter/conntrack/tuple.ts';

const { SYN, ACK, RST, FIN } = TCP_FLAG;
const ip = (text: string) => parseIpv4(text)!;
const packet = (src: string, dst: string, l4: L4Header): Packet => ({
  src: ip(src),
  dst: ip(dst),
  ttl: 64,
  tos: 0,
  df: true,
  length: 60,
  l4,
});
const tcp = (sport: number, dport: number, flags: number = SYN): L4Header => ({ protocol: 'tcp', sport, dport, flags });

describe('TCP states (nf_conntrack_proto_tcp.c tcp_conntracks)', () => {
  test.for([
    ['original', 'NONE', SYN, 'SYN_SENT'],
    ['original', 'NONE', SYN | ACK, 'INVALID'],
    ['original', 'NONE', ACK, 'ESTABLISHED'],
    ['original', 'NONE', RST, 'INVALID'],
    ['original', 'SYN_SENT', ACK, 'INVALID'],
    ['reply', 'SYN_SENT', SYN | ACK, 'SYN_RECV'],
    ['reply', 'SYN_SENT', ACK, 'IGNORE'],
    ['reply', 'SYN_SENT', RST | ACK, 'CLOSE'],
    ['original', 'SYN_RECV', ACK, 'ESTABLISHED'],
    ['original', 'ESTABLISHED', FIN | ACK, 'FIN_WAIT'],
    ['original', 'ESTABLISHED', SYN, 'IGNORE'],
    ['original', 'TIME_WAIT', SYN, 'SYN_SENT'],
    ['original', 'ESTABLISHED', 0, 'INVALID'],
  ] as const)('%s %s with flags %d leads to %s', ([direction, state, flags, next]) => {
    expect(nextTcpState(direction, state, flags)).toBe(next);
  });
});

describe('tuples', () => {
  test('an echo and its answer are each other’s inverse', () => {
    const request = tupleOf(packet('10.0.0.1', '10.0.0.2', { protocol: 'icmp', type: 8, code: 0, id: 7 }))!;
    const answer = tupleOf(packet('10.0.0.2', '10.0.0.1', { protocol: 'icmp', type: 0, code: 0, id: 7 }))!;
    expect(invertTuple(request)).toEqual(answer);
    expect(invertTuple(answer)).toEqual(request);
  });

  test('a later fragment and an ICMP error have none to look up', () => {
    const later = { ...packet('10.0.0.1', '10.0.0.2', tcp(1, 2)), fragment: { id: 1, offset: 1480, more: false } };
    expect(tupleOf(later)).toBeNull();
    const error = tupleOf(packet('10.0.0.1', '10.0.0.2', { protocol: 'icmp', type: 3, code: 3, id: 0 }))!;
    expect(invertTuple(error)).toBeNull();
  });

  test('are written as source, destination, ports', () => {
    expect(formatTuple(tupleOf(packet('10.0.0.1', '10.0.0.2', tcp(40000, 80)))!)).toBe('tcp 10.0.0.1:40000 → 10.0.0.2:80');
  });
});

describe('the table', () => {
  const original = tupleOf(packet('10.0.0.1', '10.96.0.1', tcp(40000, 443)))!;
  const translated: Tuple = { protocol: 'tcp', src: ip('10.0.0.9'), dst: ip('10.0.0.1'), sport: 6443, dport: 40000 };
  const filled = () => {
    const table = new ConntrackTable();
    const entry = { ...newEntry(original, translated), expires: 1000 };
    expect(table.insert(entry, 0)).toBe(true);
    return { table, entry };
  };

  test('finds an entry by both tuples and says which', () => {
    const { table, entry } = filled();
    expect(table.find(original, 0)).toEqual({ entry, direction: 'original' });
    expect(table.find(translated, 0)).toEqual({ entry, direction: 'reply' });
  });

  test('forgets an entry that has expired', () => {
    const { table } = filled();
    expect(table.find(original, 1000)).toBeUndefined();
    expect(table.entries()).toEqual([]);
  });

  test('refuses a second entry with a tuple that is taken', () => {
    const { table } = filled();
    const other = newEntry({ ...original, dst: ip('10.96.0.2') }, translated);
    expect(table.insert(other, 0)).toBe(false);
    expect(table.isTaken(translated, other, 0)).toBe(true);
  });

  test('a fork changes and the original does not', () => {
    const { table, entry } = filled();
    const fork = table.fork();
    fork.find(original, 0)!.entry.mark = 7;
    expect(fork.find(translated, 0)?.entry.mark).toBe(7);
    expect(entry.mark).toBe(0);
    fork.delete(fork.entries()[0]!);
    expect(fork.find(translated, 0)).toBeUndefined();
    expect(table.entries()).toEqual([entry]);
  });

  const key = (n: number): Tuple => ({ ...original, sport: n });
  const made = (n: number) => ({ ...newEntry(key(n), invertTuple(key(n))!), expires: 100 });
  const mark = (table: ConntrackTable, n: number): void => {
    table.find(key(n), 0)!.entry.mark = 7;
  };

  test.each<[what: string, change: (table: ConntrackTable) => void, sports: number[]]>([
    ['nothing', () => undefined, [1, 2, 3]],
    ['a new entry', (table) => void table.insert(made(4), 0), [1, 2, 3, 4]],
    ['an entry of its own gone', (table) => table.delete(table.find(key(3), 0)!.entry), [1, 2]],
    ['an entry of a table below gone', (table) => table.delete(table.entries()[1]!), [1, 3]],
    ['an entry of a table below changed', (table) => mark(table, 2), [1, 2, 3]],
  ])('a second fork of one that lies deep has what became of it since the first: %s', (_, change, sports) => {
    let table = new ConntrackTable();
    for (const n of [1, 2]) table.insert(made(n), 0);
    for (let depth = 0; depth < 16; depth++) {
      table = table.fork();
      // A fork that holds nothing of its own is none.
      table.find(key(1), 0);
    }
    table.insert(made(3), 0);
    table.fork();
    change(table);
    const fork = table.fork();
    expect(fork.entries().map((entry) => entry.original.sport)).toEqual(sports);
    expect(fork.entries()).toEqual(table.entries());
    for (const n of sports) expect(fork.find(key(n), 0)?.entry).toEqual(table.find(key(n), 0)?.entry);
  });

  test('an ICMP error is related to the connection of the packet it quotes, if it goes where that one’s answers go', () => {
    const { table, entry } = filled();
    const quoted = packet('10.0.0.1', '10.0.0.9', tcp(40000, 6443));
    const error = (dst: string) => packet('10.0.0.254', dst, { protocol: 'icmp', type: 3, code: 1, id: 0, embedded: quoted });
    expect(relatedEntry(error('10.0.0.1'), table, 0)).toEqual({ entry, direction: 'reply', info: 'RELATED' });
    expect(relatedEntry(error('10.0.0.3'), table, 0)).toBeNull();
    expect(relatedEntry(quoted, table, 0)).toBe('no-error');
  });
});
