import { isIpv4, parseIp } from '../../../net/ip.ts';
import { portsOf } from '../../../net/packet.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Packet } from '../../../net/packet.ts';
import type { RuleLine } from './rule.ts';

/** 0-based numbers of rules, in order, by what a packet must have for them to match. */
interface ChainIndex {
  readonly byDestination: ReadonlyMap<IpAddress, readonly number[]>;
  /** By "PROTOCOL PORT" of the destination. */
  readonly byPort: ReadonlyMap<string, readonly number[]>;
  readonly others: readonly number[];
}

/** Shorter chains are looked through as fast. */
const MIN_LENGTH = 64;

/**
 * An index over a large chain by destination address or port, read from the text of its rules without compiling them; undefined
 * for a small chain. Only rules that surely don't match a packet are left out.
 */
export function chainIndex(lines: readonly RuleLine[]): ((packet: Packet) => readonly number[]) | undefined {
  if (lines.length < MIN_LENGTH) return undefined;
  let index: ChainIndex | undefined;
  return (packet) => {
    index ??= buildIndex(lines);
    return candidatesOf(index, packet);
  };
}

function buildIndex(lines: readonly RuleLine[]): ChainIndex {
  const byDestination = new Map<IpAddress, number[]>();
  const byPort = new Map<string, number[]>();
  const others: number[] = [];
  lines.forEach(({ body }, number) => {
    const address = destinationOf(body);
    const port = address === null ? portOf(body) : null;
    if (address !== null) push(byDestination, address, number);
    else if (port !== null) push(byPort, port, number);
    else others.push(number);
  });
  return { byDestination, byPort, others };
}

function push<K>(map: Map<K, number[]>, key: K, number: number): void {
  const list = map.get(key);
  if (list) list.push(number);
  else map.set(key, [number]);
}

/** The one address that a rule is for ("-d 10.96.0.10/32", first or behind -s); null for any other rule. */
function destinationOf(body: string): IpAddress | null {
  const match = /^(?:(?:! )?-s [\da-f.:/]+ )?-d ([\d.]+|[\da-f:]+)\/(32|128)(?: |$)/.exec(body);
  const address = match && parseIp(match[1]!);
  return match && address !== null && isIpv4(address) === (match[2] === '32') ? address : null;
}

/** The one destination port that a rule is for, as "tcp 80"; null for any other rule. */
function portOf(body: string): string | null {
  const match = /(?:^| )-p (tcp|udp|sctp) (?:-m comment --comment (?:[\w-]+|"[^"\\]*") )?-m \1 --dport (\d+)(?: |$)/.exec(body);
  // What stands before -p must be no comment, and nothing of the match may be negated.
  return match && !body.slice(0, match.index).includes('"') && !/(?:^| )!$/.test(body.slice(0, match.index))
    ? `${match[1]} ${match[2]}`
    : null;
}

function candidatesOf({ byDestination, byPort, others }: ChainIndex, packet: Packet): readonly number[] {
  const ports = portsOf(packet);
  const lists = [
    byDestination.get(packet.dst) ?? [],
    (ports && byPort.get(`${packet.l4.protocol} ${ports.dport}`)) ?? [],
    others,
  ].filter((list) => list.length > 0);
  return lists.length > 1 ? lists.flat().sort((a, b) => a - b) : (lists[0] ?? []);
}
