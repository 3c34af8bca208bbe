import { isIpv4, ipv4, ipv6 } from '../../../net/ip.ts';
import { invertTuple, sameTuple } from '../conntrack/tuple.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { ConntrackEntry } from '../conntrack/entry.ts';
import type { ConntrackTable } from '../conntrack/table.ts';
import type { Tuple } from '../conntrack/tuple.ts';
import type { Manip } from './manipulate.ts';
import type { NatRange } from './range.ts';

export interface UniqueTupleInput {
  readonly original: Tuple;
  readonly range: NatRange;
  readonly manip: Manip;
  readonly entry: ConntrackEntry;
  readonly table: ConntrackTable;
  readonly now: number;
}

/** The tuple that a NAT gives, and whether a real kernel draws its port at random. */
export interface UniqueTuple {
  readonly tuple: Tuple;
  readonly random: boolean;
}

/**
 * get_unique_tuple (nf_nat_core.c): an address of the range, and a port that makes the reply tuple unlike every other connection's.
 * Source NAT keeps address and port when they are in range and free; destination NAT never invents a port.
 */
export function uniqueTuple(input: UniqueTupleInput): UniqueTuple {
  const { original, range, manip, table, entry, now } = input;
  const anyRandom = range.random || range.randomFully;
  const isUsed = (tuple: Tuple): boolean => {
    const reply = invertTuple(tuple);
    return reply !== null && table.isTaken(reply, entry, now);
  };
  if (manip === 'src' && !anyRandom) {
    if (inRange(original, range, manip)) {
      if (!isUsed(original)) return { tuple: original, random: false };
    } else {
      const mapped = earlierMapping(input);
      if (mapped && !isUsed(mapped)) return { tuple: mapped, random: false };
    }
  }
  const tuple = withAddress(original, range, manip);
  if (!anyRandom) {
    if (range.minPort !== null) {
      if (portInRange(tuple, range, manip) && (range.minPort === range.maxPort || !isUsed(tuple)))
        return { tuple, random: false };
    } else if (!isUsed(tuple)) return { tuple, random: false };
  }
  return withFreePort(tuple, input, isUsed);
}

/** nf_in_range */
function inRange(tuple: Tuple, range: NatRange, manip: Manip): boolean {
  const address = manip === 'src' ? tuple.src : tuple.dst;
  if (range.minAddress !== null && (address < range.minAddress || address > (range.maxAddress ?? range.minAddress))) return false;
  return range.minPort === null || portInRange(tuple, range, manip);
}

function portInRange(tuple: Tuple, range: NatRange, manip: Manip): boolean {
  // An ICMP query's id is on both sides.
  const port = manip === 'src' || tuple.protocol === 'icmp' || tuple.protocol === 'icmpv6' ? tuple.sport : tuple.dport;
  return port >= (range.minPort ?? 0) && port <= (range.maxPort ?? range.minPort ?? 65535);
}

/** find_appropriate_src: an earlier connection from the same source and port keeps its mapping. */
function earlierMapping({ original, range, table }: UniqueTupleInput): Tuple | null {
  for (const other of table.entries()) {
    const same =
      other.original.protocol === original.protocol &&
      other.original.src === original.src &&
      other.original.sport === original.sport;
    if (!same) continue;
    const inverted = invertTuple(other.reply);
    if (!inverted) continue;
    const mapped = { ...original, src: inverted.src, sport: inverted.sport };
    if (inRange(mapped, range, 'src')) return mapped;
  }
  return null;
}

/** find_best_ips_proto: one address of the range, spread by a hash of the addresses. */
function withAddress(tuple: Tuple, range: NatRange, manip: Manip): Tuple {
  const { minAddress, maxAddress } = range;
  if (minAddress === null) return tuple;
  const address =
    maxAddress === null || maxAddress === minAddress ? minAddress : spread(tuple, minAddress, maxAddress, range.persistent);
  return manip === 'src' ? { ...tuple, src: address } : { ...tuple, dst: address };
}

function spread(tuple: Tuple, min: IpAddress, max: IpAddress, persistent: boolean): IpAddress {
  const key = hash(`${tuple.src} ${persistent ? 0 : tuple.dst}`);
  if (isIpv4(min) && isIpv4(max)) return ipv4(min + (key % (max - min + 1)));
  const low = BigInt(min);
  return ipv6(low + (BigInt(key) % (BigInt(max) - low + 1n)));
}

/** nf_nat_l4proto_unique_tuple: where the kernel draws a port, a hash of the connection stands for it, so that runs agree. */
function withFreePort(tuple: Tuple, input: UniqueTupleInput, isUsed: (tuple: Tuple) => boolean): UniqueTuple {
  const { range, manip, entry } = input;
  const isIcmp = tuple.protocol === 'icmp' || tuple.protocol === 'icmpv6';
  const hasPorts = isIcmp || tuple.protocol === 'tcp' || tuple.protocol === 'udp' || tuple.protocol === 'sctp';
  if (!hasPorts || (range.minPort === null && manip === 'dst' && !isIcmp)) return { tuple, random: false };
  const [min, max] = portBounds(manip === 'src' || isIcmp ? tuple.sport : tuple.dport, range, isIcmp);
  const size = max - min + 1;
  const random = range.random || range.randomFully || manip === 'src';
  const start = random ? hash(`${entry.original.src} ${entry.original.sport} ${entry.original.dst} ${entry.original.dport}`) : 0;
  let candidate = tuple;
  for (let i = 0; i < Math.min(size, 128); i++) {
    const port = min + ((start + i) % size);
    candidate = manip === 'src' || isIcmp ? { ...tuple, sport: port } : { ...tuple, dport: port };
    if (!isUsed(candidate)) break;
  }
  return { tuple: candidate, random: random && !sameTuple(candidate, input.original) };
}

function portBounds(port: number, range: NatRange, isIcmp: boolean): readonly [number, number] {
  if (range.minPort !== null) return [range.minPort, range.maxPort ?? range.minPort];
  if (isIcmp) return [0, 65535];
  if (port < 512) return [1, 511];
  return port < 1024 ? [600, 1023] : [1024, 65535];
}

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
