import type { HookRun, ObservedFrame, Observation, ObservedPacket } from './observation.ts';
import type { Part } from '../../trace/outcome.ts';

/** A part of the connection, and whether it is about the packet of a tunnel that carries it. */
export interface Belonging {
  readonly part: Part;
  readonly outer: boolean;
}

/** Says to which part of the connection what was observed belongs; null: to none of them (retransmissions, closing, noise). */
export interface Sorter {
  ofFrame(frame: ObservedFrame): Belonging | null;
  /** Runs must be given in the order in which their host reported them. */
  ofRuns(runs: readonly HookRun[]): readonly (Belonging | null)[];
}

export interface SortOptions {
  /** Where the client is. */
  readonly host: string;
  readonly protocol: string;
  /** UDP port of tunnels; null: none. */
  readonly vxlanPort: number | null;
}

/**
 * Recognises packets by the identification of their IP header (of IPv6 the flow label), which NAT, forwarding and bridges leave alone, and what a packet of a
 * tunnel carries by what is inside.
 */
export function sorter(observation: Observation, { host, protocol, vxlanPort }: SortOptions): Sorter {
  const isTunnel = (packet: ObservedPacket): boolean =>
    vxlanPort !== null && packet.protocol === 'udp' && packet.dport === vxlanPort;
  const own = clientPackets(observation, host).filter((packet) => isOf(packet, protocol) && !isTunnel(packet));
  // A packet that waits for a neighbour in vain is seen nowhere, but the error about it is.
  const request = own.find((packet) => isRequest(packet))?.id ?? clientPackets(observation, host).find(isError)?.about ?? null;
  const ack = own.find(({ flags, payload }) => flags === 'ACK' && payload === 0)?.id ?? null;
  const accepted = allPackets(observation).some(({ flags }) => flags === 'SYN,ACK');
  let answer: number | null = null;

  // What a server or a queue sends again comes later than this behind the first answer.
  let firstReply: number | null = null;
  const inTime = (part: Part | null, time: number): Part | null => {
    if (part !== 'reply') return part;
    firstReply ??= time;
    return time - firstReply < RESEND_NANOSECONDS ? part : null;
  };

  // Later fragments have no header that tells what they are; their identification is that of the first.
  const parts = new Map<number, Part | null>();
  const ofPacket = (packet: ObservedPacket): Part | null => {
    if (packet.fragment && packet.fragment.offset > 0) return parts.get(packet.id) ?? null;
    const part = ofWhole(packet);
    parts.set(packet.id, part);
    return part;
  };
  const ofWhole = (packet: ObservedPacket): Part | null => {
    if (packet.icmp && packet.about !== undefined) return request !== null && packet.about === request ? 'reply' : null;
    if (!isOf(packet, protocol)) return null;
    switch (protocol) {
      case 'tcp':
        if (packet.flags === 'SYN') return packet.id === request ? 'request' : null;
        if (packet.flags === 'SYN,ACK') return 'reply';
        if (packet.flags?.includes('RST')) return accepted ? null : 'reply';
        // All that a socket sends has one flow label.
        if ((packet.payload ?? 0) > 0) return 'data';
        return packet.id === ack ? 'ack' : null;
      case 'icmp':
        return isEcho(packet, 'request') ? 'request' : isEcho(packet, 'reply') ? 'reply' : null;
      default:
        if (packet.id === request) return 'request';
        answer ??= packet.id;
        return packet.id === answer ? 'reply' : null;
    }
  };

  // Two packets of a tunnel may look alike (IPv6): the one seen nearest in time is meant.
  const carried = new Map<number, { readonly time: number; readonly part: Part | null }[]>();
  const carriedBy = (id: number, time: number): Part | null => {
    const seen = carried.get(id) ?? [];
    return (
      seen.reduce<(typeof seen)[number] | null>(
        (best, one) => (best && Math.abs(best.time - time) <= Math.abs(one.time - time) ? best : one),
        null,
      )?.part ?? null
    );
  };
  for (const { packet, inner, time } of observation.frames) {
    if (!inner) continue;
    // What is not IP (ARP) is part of nothing. A tunnel's packet may itself be sent through a tunnel.
    const part =
      inner.packet === null ? null : isTunnel(inner.packet) ? carriedBy(inner.packet.id, time) : ofPacket(inner.packet);
    carried.set(packet.id, [...(carried.get(packet.id) ?? []), { time, part }]);
  }
  const belonging = (packet: ObservedPacket, time: number, before: Part | null): Belonging | null => {
    const outer = isTunnel(packet);
    // A tunnel's packet that never left its host stands behind the packet that it was made for.
    const part = inTime(!outer ? ofPacket(packet) : carried.has(packet.id) ? carriedBy(packet.id, time) : before, time);
    return part === null ? null : { part, outer };
  };
  return {
    ofFrame: ({ packet, time }) => belonging(packet, time, null),
    ofRuns(runs) {
      let before: Part | null = null;
      return runs.map(({ packet, time }) => {
        const found = belonging(packet, time, before);
        if (found) before = found.part;
        return found;
      });
    },
  };
}

/** Nothing is sent again before a second has passed (TCP_TIMEOUT_INIT). */
const RESEND_NANOSECONDS = 0.9e9;

/** What the client's host sent or ran through its hooks, in order. */
function clientPackets({ frames, runs }: Observation, host: string): ObservedPacket[] {
  return [...frames.filter((frame) => frame.host === host), ...runs.filter((run) => run.host === host)].map(
    ({ packet }) => packet,
  );
}

function allPackets({ frames, runs }: Observation): ObservedPacket[] {
  return [...frames, ...runs].map(({ packet }) => packet);
}

/** Does a packet speak the protocol that a probe is for, ICMP being that of its family? */
function isOf(packet: ObservedPacket, protocol: string): boolean {
  return packet.protocol === protocol || (protocol === 'icmp' && packet.protocol === 'icmpv6');
}

/** Is it an echo's request or reply? */
export function isEcho({ protocol, icmp }: ObservedPacket, kind: 'request' | 'reply'): boolean {
  if (protocol === 'icmpv6') return icmp?.type === (kind === 'request' ? 128 : 129);
  return icmp?.type === (kind === 'request' ? 8 : 0);
}

function isError({ about }: ObservedPacket): boolean {
  return about !== undefined;
}

function isRequest(packet: ObservedPacket): boolean {
  const { flags, protocol } = packet;
  switch (protocol) {
    case 'tcp':
      return flags === 'SYN';
    case 'icmp':
    case 'icmpv6':
      return isEcho(packet, 'request');
    default:
      return true;
  }
}
