import { opposite, tupleIn } from './entry.ts';
import { invertTuple, tupleOf } from './tuple.ts';
import type { Packet } from '../../../net/packet.ts';
import type { ConntrackReference } from './entry.ts';
import type { ConntrackTable } from './table.ts';

const ICMP_ERRORS: readonly number[] = [3, 4, 5, 11, 12];

/** ICMP types that quote the packet they are about (icmp_pointers[].error; all ICMPv6 types below 128). */
export function isIcmpError(packet: Packet): boolean {
  const { l4 } = packet;
  if (l4.protocol === 'icmp') return ICMP_ERRORS.includes(l4.type);
  return l4.protocol === 'icmpv6' && l4.type < 128;
}

/**
 * nf_conntrack_inet_error: an ICMP error belongs to the connection of the packet it quotes (RELATED). Null: it quotes none that is
 * known (INVALID).
 */
export function relatedEntry(packet: Packet, table: ConntrackTable, now: number): ConntrackReference | null | 'no-error' {
  if (!isIcmpError(packet)) return 'no-error';
  const embedded = 'embedded' in packet.l4 ? packet.l4.embedded : undefined;
  const inner = embedded && tupleOf(embedded);
  const inverted = inner && invertTuple(inner);
  const found = inverted && table.find(inverted, now);
  // The error must go where that direction's packets go, else it is none of this connection's.
  if (!found || tupleIn(found.entry, found.direction).dst !== packet.dst) return null;
  // The quoted packet went the other way: an error about an original packet is in reply direction.
  return { entry: found.entry, direction: found.direction, info: 'RELATED' };
}

/** nf_conntrack_attach: what a host answers to a packet itself (ICMP error, RST of REJECT) is related to that packet's entry. */
export function attachedReference(about: ConntrackReference | null): ConntrackReference | null {
  return about && { entry: about.entry, direction: opposite(about.direction), info: 'RELATED' };
}
