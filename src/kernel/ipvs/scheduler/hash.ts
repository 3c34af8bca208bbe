import { isIpv4 } from '../../../net/ip.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { RealServer } from '../virtual-server.ts';

/** IP_VS_SH_TAB_BITS, IP_VS_DH_TAB_BITS */
const TABLE_BITS = 8;
const TABLE_SIZE = 1 << TABLE_BITS;
const GOLDEN_RATIO_32 = 0x61c88647;

/** An address as the hashes take it: 32 bits, those of IPv6 folded (addr_fold). */
export function foldAddress(address: IpAddress): number {
  if (isIpv4(address)) return address;
  let folded = 0;
  for (let rest = BigInt(address); rest > 0n; rest >>= 32n) folded ^= Number(rest & 0xffffffffn);
  return folded >>> 0;
}

/** hash_32 of include/linux/hash.h, in 8 bits. */
function hash32(value: number): number {
  return Math.imul(value, GOLDEN_RATIO_32) >>> (32 - TABLE_BITS);
}

/**
 * Source hashing (ip_vs_sh.c): 256 buckets that the real servers fill in turn, each as often as its weight says. `servers` are in the
 * kernel's order. A server of weight 0 takes nothing and no other takes its place.
 * @param port the client's port, 0 without the flag sh-port
 */
export function bySourceHash(servers: readonly RealServer[], client: IpAddress, port: number): RealServer | null {
  const turns = servers.flatMap((server) => Array.from({ length: Math.max(1, server.weight) }, () => server));
  const chosen = turns[(hash32((port + foldAddress(client)) >>> 0) & (TABLE_SIZE - 1)) % turns.length];
  return chosen && chosen.weight > 0 ? chosen : null;
}

/** Destination hashing (ip_vs_dh.c): the buckets are filled in turn whatever the weights; all clients of an address get one server. */
export function byDestinationHash(servers: readonly RealServer[], address: IpAddress): RealServer | null {
  const chosen = servers[hash32(foldAddress(address)) % servers.length];
  return chosen && chosen.weight > 0 ? chosen : null;
}
