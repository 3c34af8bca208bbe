import { foldAddress } from './hash.ts';
import { hsiphash } from './siphash.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { RealServer } from '../virtual-server.ts';

/** IP_VS_MH_TAB_SIZE with the default CONFIG_IP_VS_MH_TAB_INDEX of 12. */
const TABLE_SIZE = 4093;
const KEY_1 = 2654435761n;
const KEY_2 = 2654446892n;

/**
 * Maglev hashing (ip_vs_mh.c): each real server has its own order of the table's places; they take turns, as many as their weights,
 * each taking its next free place. `servers` are in the kernel's order.
 * @param port the client's port, 0 without the flag mh-port
 */
export function byMaglevHash(servers: readonly RealServer[], client: IpAddress, port: number): RealServer | null {
  return tableOf(servers)[hashKey(client, port, KEY_1) % TABLE_SIZE] ?? null;
}

const tables = new WeakMap<readonly RealServer[], readonly RealServer[]>();

function tableOf(servers: readonly RealServer[]): readonly RealServer[] {
  const table = tables.get(servers) ?? populate(servers);
  tables.set(servers, table);
  return table;
}

/** ip_vs_mh_hashkey */
function hashKey(address: IpAddress, port: number, key: bigint): number {
  return hsiphash((port + foldAddress(address)) >>> 0, [key, key]);
}

/** ip_vs_mh_permutate, ip_vs_mh_populate */
function populate(servers: readonly RealServer[]): readonly RealServer[] {
  const weights = servers.map(({ weight }) => weight);
  const divisor = weights.reduce(greatestCommonDivisor, 0);
  const table: RealServer[] = [];
  if (divisor < 1) return table;
  const setups = servers.map((server) => ({
    server,
    place: hashKey(server.address, server.port, KEY_1) % TABLE_SIZE,
    skip: (hashKey(server.address, server.port, KEY_2) % (TABLE_SIZE - 1)) + 1,
    turns: server.weight / divisor,
  }));
  for (let filled = 0; filled < TABLE_SIZE; ) {
    for (const setup of setups) {
      for (let turn = 0; turn < setup.turns && filled < TABLE_SIZE; turn++, filled++) {
        while (table[setup.place] !== undefined) setup.place = (setup.place + setup.skip) % TABLE_SIZE;
        table[setup.place] = setup.server;
      }
    }
  }
  return table;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
