import { describe, expect, test } from 'vitest';
import { IpvsConnectionTable } from '../../../../src/kernel/ipvs/connection-table.ts';
import { schedule } from '../../../../src/kernel/ipvs/scheduler/schedule.ts';
import { hsiphash } from '../../../../src/kernel/ipvs/scheduler/siphash.ts';
import { formatIp } from '../../../../src/net/ip.ts';
import { ip } from '../../../support/traverse-context.ts';
import type { RealServer, VirtualServer } from '../../../../src/kernel/ipvs/virtual-server.ts';
import type { IpvsTcpState } from '../../../../src/kernel/ipvs/tcp-state.ts';

const real = (host: number, weight = 1): RealServer => ({
  address: ip(`10.244.0.${host}`),
  port: 8080,
  forwarding: 'masquerade',
  weight,
});

function virtual(scheduler: string, realServers: readonly RealServer[], schedulerFlags: readonly string[] = []): VirtualServer {
  return { protocol: 'tcp', address: ip('10.96.0.20'), port: 80, scheduler, schedulerFlags, persistence: null, realServers };
}

/** The table with so many connections of each state to a real server. */
function loaded(server: VirtualServer, loads: readonly (readonly [RealServer, IpvsTcpState, number])[]): IpvsConnectionTable {
  const table = new IpvsConnectionTable();
  let port = 1024;
  for (const [to, state, count] of loads) {
    for (let i = 0; i < count; i++) {
      table.add({
        protocol: 'tcp',
        client: { address: ip('10.244.9.9'), port: port++ },
        virtual: server,
        real: to,
        server,
        persistent: false,
        conntrack: true,
        state,
        expires: 1000,
      });
    }
  }
  return table;
}

/** The servers that may come out, with their chances. */
function chances(
  server: VirtualServer,
  table = new IpvsConnectionTable(),
  client = '10.244.0.2',
  port = 40000,
): Record<string, number> {
  const result: Record<string, number> = {};
  let weights: readonly number[] = [1];
  for (let i = 0; i < weights.length; i++) {
    const pick = (_: string, drawn: readonly number[]): number => {
      weights = drawn;
      return i;
    };
    const chosen = schedule({ server, client: { address: ip(client), port }, table, now: 0, pick });
    if (chosen) result[formatIp(chosen.address)] = weights[i]!;
  }
  return result;
}

const [A, B, C] = [real(3), real(4), real(5)];

describe('schedulers that share out (ip_vs_rr.c, ip_vs_wrr.c, ip_vs_fo.c)', () => {
  test.each<[string, VirtualServer, Record<string, number>]>([
    ['rr: each in turn, whatever its weight', virtual('rr', [A, real(4, 3)]), { '10.244.0.3': 0.5, '10.244.0.4': 0.5 }],
    ['rr: a weight of 0 takes nothing', virtual('rr', [A, real(4, 0)]), { '10.244.0.3': 1 }],
    ['wrr: by weight', virtual('wrr', [A, real(4, 3)]), { '10.244.0.3': 0.25, '10.244.0.4': 0.75 }],
    ['fo: the heaviest alone', virtual('fo', [A, real(4, 3)]), { '10.244.0.4': 1 }],
    ['no real server', virtual('rr', []), {}],
    ['none with a weight', virtual('wlc', [real(3, 0)]), {}],
  ])('%s', (_, server, expected) => expect(chances(server)).toEqual(expected));
});

describe('schedulers that count connections (ip_vs_lc.c, ip_vs_wlc.c, ip_vs_sed.c, ip_vs_nq.c)', () => {
  const heavy = real(4, 2);
  test.each<[string, string, readonly RealServer[], readonly (readonly [RealServer, IpvsTcpState, number])[], readonly string[]]>(
    [
      ['lc: equal ones are a choice', 'lc', [A, B], [], ['10.244.0.3', '10.244.0.4']],
      [
        'lc: an established connection weighs 256 others',
        'lc',
        [A, B],
        [
          [A, 'ESTABLISHED', 1],
          [B, 'FIN_WAIT', 255],
        ],
        ['10.244.0.4'],
      ],
      [
        'lc: … and no more',
        'lc',
        [A, B],
        [
          [A, 'ESTABLISHED', 1],
          [B, 'FIN_WAIT', 257],
        ],
        ['10.244.0.3'],
      ],
      [
        'wlc: by weight',
        'wlc',
        [A, heavy],
        [
          [A, 'ESTABLISHED', 2],
          [heavy, 'ESTABLISHED', 3],
        ],
        ['10.244.0.4'],
      ],
      ['sed: with the new one counted', 'sed', [A, heavy], [[heavy, 'ESTABLISHED', 2]], ['10.244.0.3']],
      [
        'nq: an idle one first, though another would be as fast',
        'nq',
        [A, real(4, 9)],
        [[real(4, 9), 'ESTABLISHED', 1]],
        ['10.244.0.3'],
      ],
      [
        'nq: none idle: as sed',
        'nq',
        [A, heavy],
        [
          [A, 'ESTABLISHED', 1],
          [heavy, 'ESTABLISHED', 1],
        ],
        ['10.244.0.4'],
      ],
    ],
  )('%s', (_, scheduler, servers, loads, expected) => {
    const server = virtual(scheduler, servers);
    expect(Object.keys(chances(server, loaded(server, loads)))).toEqual(expected);
  });

  test('connections that have expired do not count', () => {
    const server = virtual('lc', [A, B]);
    const table = loaded(server, [[A, 'ESTABLISHED', 1]]);
    expect(table.load(server, A, 999)).toEqual({ active: 1, inactive: 0 });
    expect(table.load(server, A, 1000)).toEqual({ active: 0, inactive: 0 });
  });
});

describe('schedulers that hash', () => {
  // ip_vs_sh_hashkey is hash_32 of the address in 8 bits; bucket 0 belongs to the first in the kernel's order, the one that was added last.
  test('sh: by the client alone', () => {
    const bucket = (Number((0x0af40002n * 0x61c88647n) & 0xffffffffn) >>> 24) & 255;
    const expected = [B, A][bucket % 2]!;
    expect(chances(virtual('sh', [A, B]))).toEqual({ [formatIp(expected.address)]: 1 });
    expect(chances(virtual('sh', [A, B]), undefined, '10.244.0.2', 40001)).toEqual(chances(virtual('sh', [A, B])));
  });

  test('sh: the bucket of a server without weight serves nobody', () => {
    const both = ['10.244.0.2', '10.244.0.6', '10.244.0.7', '10.244.0.8'].map((client) =>
      chances(virtual('sh', [A, real(4, 0)]), undefined, client),
    );
    expect(both.some((result) => Object.keys(result).length === 0)).toBe(true);
    expect(both.some((result) => '10.244.0.3' in result)).toBe(true);
  });

  test('dh: all clients of an address get one server', () => {
    const results = ['10.244.0.2', '10.244.7.7', '203.0.113.9'].map((client) =>
      chances(virtual('dh', [A, B, C]), undefined, client),
    );
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  });

  test('mh-port tells connections of one client apart, and spreads them evenly', () => {
    const server = virtual('mh', [A, B, C], ['mh-port']);
    const counts = new Map<string, number>();
    for (let port = 32768; port < 33768; port++) {
      const [address] = Object.keys(chances(server, undefined, '10.244.0.2', port));
      counts.set(address!, (counts.get(address!) ?? 0) + 1);
    }
    expect(counts.size).toBe(3);
    for (const count of counts.values()) expect(count).toBeGreaterThan(250);
  });

  test('mh: a server that goes takes hardly any other’s clients along', () => {
    const clients = Array.from({ length: 200 }, (_, i) => `10.1.${i >> 4}.${i & 15}`);
    const choose = (servers: readonly RealServer[], client: string): string =>
      Object.keys(chances(virtual('mh', servers), undefined, client))[0]!;
    const stayed = clients.filter((client) => choose([A, B, C], client) !== '10.244.0.5');
    const moved = stayed.filter((client) => choose([A, B, C], client) !== choose([A, B], client));
    expect(moved.length / stayed.length).toBeLessThan(0.1);
  });

  // lib/siphash.c's self test (lib/test_siphash.c, test_vectors_hsiphash of a 64-bit kernel, entry 4).
  test('hsiphash as the kernel’s own test has it', () => {
    expect(hsiphash(0x03020100, [0x0706050403020100n, 0x0f0e0d0c0b0a0908n])).toBe(0x88d38328);
  });
});
