import { isLaterFragment } from '../../net/packet.ts';
import type { Packet } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { Walk } from '../walk/walk.ts';
import type { Listener } from './listener.ts';

/** The listening socket for a packet: one bound to its destination address before a wildcard one (compute_score). */
export function findListener(host: Host, packet: Packet): Listener | null {
  const { l4, dst } = packet;
  if (isLaterFragment(packet) || !(l4.protocol === 'tcp' || l4.protocol === 'udp' || l4.protocol === 'sctp')) return null;
  let wildcard: Listener | null = null;
  for (const listener of host.listeners) {
    if (listener.port !== l4.dport || listener.protocol !== l4.protocol) continue;
    if (listener.address === dst) return listener;
    if (listener.address === null) wildcard ??= listener;
  }
  return wildcard;
}

/** The owner of any socket that would take the packet: a connection's own, else a listener. */
export function findSocket(walk: Walk, host: Host, packet: Packet): string | null {
  return walk.sockets?.owner(host, packet) ?? findListener(host, packet)?.owner ?? null;
}
