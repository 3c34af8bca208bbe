import { describe, expect, test } from 'vitest';
import { newEntry } from '../../../../src/kernel/netfilter/conntrack/entry.ts';
import { ConntrackTable } from '../../../../src/kernel/netfilter/conntrack/table.ts';
import { invertTuple } from '../../../../src/kernel/netfilter/conntrack/tuple.ts';
import { ANY_RANGE, setupNat, setupNullBinding } from '../../../../src/kernel/netfilter/nat/setup.ts';
import { formatIp, parseIpv4 } from '../../../../src/net/ip.ts';
import type { Tuple } from '../../../../src/kernel/netfilter/conntrack/tuple.ts';
import type { NatRange } from '../../../../src/kernel/netfilter/nat/range.ts';

const ip = (text: string) => parseIpv4(text)!;
const tuple = (src: string, sport: number, dst: string, dport: number): Tuple => ({
  protocol: 'tcp',
  src: ip(src),
  sport,
  dst: ip(dst),
  dport,
});
const entryFor = (original: Tuple) => newEntry(original, invertTuple(original)!);
const to = (address: string, port: number | null = null, more: Partial<NatRange> = {}): NatRange => ({
  ...ANY_RANGE,
  minAddress: ip(address),
  maxAddress: ip(address),
  minPort: port,
  maxPort: port,
  ...more,
});
const text = ({ src, sport, dst, dport }: Tuple) => `${formatIp(src)}:${sport} > ${formatIp(dst)}:${dport}`;

describe('nf_nat_setup_info', () => {
  test('destination NAT turns the reply tuple’s source', () => {
    const entry = entryFor(tuple('10.0.0.1', 40000, '10.96.0.1', 80));
    setupNat(entry, to('10.0.0.9', 8080), 'dst', new ConntrackTable(), 0);
    expect(text(entry.reply)).toBe('10.0.0.9:8080 > 10.0.0.1:40000');
    expect(entry).toMatchObject({ dnat: true, dnatDone: true, snat: false });
  });

  test('source NAT keeps the port while it is free', () => {
    const entry = entryFor(tuple('10.0.0.1', 40000, '192.0.2.1', 443));
    setupNat(entry, to('172.18.0.2'), 'src', new ConntrackTable(), 0);
    expect(text(entry.reply)).toBe('192.0.2.1:443 > 172.18.0.2:40000');
    expect(entry.randomPort).toBe(false);
  });

  test('source NAT takes another port where the tuple is taken, and says that the kernel draws it', () => {
    const table = new ConntrackTable();
    const first = { ...entryFor(tuple('10.0.0.1', 40000, '192.0.2.1', 443)), expires: 1000 };
    setupNat(first, to('172.18.0.2'), 'src', table, 0);
    table.insert(first, 0);
    const second = entryFor(tuple('10.0.0.3', 40000, '192.0.2.1', 443));
    setupNat(second, to('172.18.0.2'), 'src', table, 0);
    expect(second.reply.dport).not.toBe(40000);
    expect(second.reply.dport).toBeGreaterThanOrEqual(1024);
    expect(second.randomPort).toBe(true);
  });

  test('--random-fully draws a port even if the own one is free', () => {
    const entry = entryFor(tuple('10.0.0.1', 40000, '192.0.2.1', 443));
    setupNat(entry, to('172.18.0.2', null, { randomFully: true }), 'src', new ConntrackTable(), 0);
    expect(entry.reply.dport).not.toBe(40000);
    expect(entry.randomPort).toBe(true);
  });

  test('a port that is given is taken as it is', () => {
    const entry = entryFor(tuple('10.0.0.1', 40000, '10.0.0.9', 80));
    setupNat(entry, to('172.18.0.2', 5000), 'src', new ConntrackTable(), 0);
    expect(entry.reply.dport).toBe(5000);
  });

  test('an earlier connection from the same source and port hands on its mapping', () => {
    const table = new ConntrackTable();
    const first = { ...entryFor(tuple('10.0.0.1', 40000, '192.0.2.1', 443)), expires: 1000 };
    setupNat(first, to('172.18.0.2', 5000), 'src', table, 0);
    table.insert(first, 0);
    const second = entryFor(tuple('10.0.0.1', 40000, '192.0.2.2', 443));
    setupNat(second, to('172.18.0.2'), 'src', table, 0);
    expect(second.reply.dport).toBe(5000);
  });

  test('each side is decided once, and never for a confirmed connection', () => {
    const entry = entryFor(tuple('10.0.0.1', 40000, '10.96.0.1', 80));
    const table = new ConntrackTable();
    setupNat(entry, to('10.0.0.9', 8080), 'dst', table, 0);
    setupNat(entry, to('10.0.0.8', 8080), 'dst', table, 0);
    expect(formatIp(entry.reply.src)).toBe('10.0.0.9');
    entry.confirmed = true;
    setupNat(entry, to('172.18.0.2'), 'src', table, 0);
    expect(entry.snatDone).toBe(false);
  });

  test('without any rule the source port changes only where the answer would be ambiguous', () => {
    const table = new ConntrackTable();
    const virtual = { ...entryFor(tuple('10.0.0.1', 40000, '10.96.0.1', 80)), expires: 1000 };
    setupNat(virtual, to('10.0.0.9', 8080), 'dst', table, 0);
    setupNullBinding(virtual, 'src', table, 0);
    expect(virtual.snat).toBe(false);
    table.insert(virtual, 0);
    const direct = entryFor(tuple('10.0.0.1', 40000, '10.0.0.9', 8080));
    setupNullBinding(direct, 'dst', table, 0);
    setupNullBinding(direct, 'src', table, 0);
    expect(direct).toMatchObject({ snat: true, dnat: false });
    expect(formatIp(direct.reply.dst)).toBe('10.0.0.1');
  });
});
