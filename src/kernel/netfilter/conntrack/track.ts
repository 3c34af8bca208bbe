import { ACCEPT } from '../hook.ts';
import { newEntry, viewOf } from './entry.ts';
import { relatedEntry } from './related.ts';
import { nextSctpState, opensSctpEntry, SCTP_TIMEOUT } from './sctp-state.ts';
import { nextTcpState, TCP_TIMEOUT } from './tcp-state.ts';
import { formatTuple, invertTuple, tupleOf } from './tuple.ts';
import type { HookCall, HookVerdict } from '../hook.ts';
import type { ConntrackReference, Direction } from './entry.ts';
import { TCP_FLAG } from '../../../net/packet.ts';
import { SCTP_CHUNK } from '../../../net/sctp.ts';
import type { Packet } from '../../../net/packet.ts';
import { sysctl } from '../../sysctl.ts';

/** Milliseconds (nf_conntrack_proto_*.c): first packets, and once answered. */
const UDP_TIMEOUT = { fresh: 30_000, stream: 120_000 } as const;
const ICMP_TIMEOUT = 30_000;
const GENERIC_TIMEOUT = 600_000;

/** nf_conntrack_in: gives the packet its entry and state; a packet that fits no connection is left without one (INVALID). */
export function conntrackIn(call: HookCall): HookVerdict {
  const { walk, host, skb } = call;
  // Already tracked (it came by lo, or an ICMP error carries its packet's entry), or CT --notrack has said no.
  if (!skb.conntrack && !skb.untracked) {
    skb.conntrack = track(call);
    if (walk.recording) {
      const view = viewOf(skb.conntrack, false, walk.state.now);
      walk.emit(skb, host, {
        kind: 'conntrack',
        hook: call.hook,
        state: view.state,
        direction: skb.conntrack?.direction ?? null,
        entry: skb.conntrack && formatTuple(skb.conntrack.entry.original),
      });
    }
  }
  return ACCEPT;
}

function track(call: HookCall): ConntrackReference | null {
  const { walk, host, skb } = call;
  const table = walk.state.host(host.name).conntrack;
  const { packet } = skb;
  const related = relatedEntry(packet, table, walk.state.now);
  if (related !== 'no-error') return related;
  const tuple = tupleOf(packet);
  if (!tuple) return null;
  let found = table.find(tuple, walk.state.now);
  if (found && reopens(found.entry, packet)) {
    table.delete(found.entry);
    found = undefined;
  }
  const reference = found
    ? referenceTo(found.entry, found.direction)
    : createReference(packet, tuple, sysctl(host.sysctls, 'net.netfilter.nf_conntrack_tcp_loose') !== 0);
  if (!reference) return null;
  if (!updateProtocol(reference, packet, walk.state.now, (entry) => table.delete(entry))) return null;
  if (reference.direction === 'reply') reference.entry.seenReply = true;
  return reference;
}

/** A SYN on a closed connection begins a new one (nf_conntrack_tcp_packet, case TCP_CONNTRACK_SYN_SENT). */
function reopens(entry: ConntrackReference['entry'], { l4 }: Packet): boolean {
  return (
    l4.protocol === 'tcp' &&
    (l4.flags & (TCP_FLAG.SYN | TCP_FLAG.ACK)) === TCP_FLAG.SYN &&
    (entry.tcp === 'CLOSE' || entry.tcp === 'TIME_WAIT')
  );
}

/** resolve_normal_ct: a reply is ESTABLISHED, an original NEW until a reply has been seen. */
function referenceTo(entry: ConntrackReference['entry'], direction: Direction): ConntrackReference {
  return { entry, direction, info: direction === 'reply' || entry.seenReply ? 'ESTABLISHED' : 'NEW' };
}

/** init_conntrack: null for what can't begin a connection. */
function createReference(
  packet: Packet,
  tuple: NonNullable<ReturnType<typeof tupleOf>>,
  loose: boolean,
): ConntrackReference | null {
  const reply = invertTuple(tuple);
  if (!reply) return null;
  const { l4 } = packet;
  // Only queries start a connection (nf_conntrack_icmp_packet valid_new).
  if (l4.protocol === 'icmp' && ![8, 13, 15, 17].includes(l4.type)) return null;
  if (l4.protocol === 'icmpv6' && ![128, 139].includes(l4.type)) return null;
  const entry = newEntry(tuple, reply);
  if (l4.protocol === 'tcp') {
    const state = nextTcpState('original', 'NONE', l4.flags);
    if (state === 'INVALID' || state === 'IGNORE') return null;
    if (state !== 'SYN_SENT' && !loose) return null;
  }
  if (l4.protocol === 'sctp' && !opensSctpEntry(l4.chunk)) return null;
  return { entry, direction: 'original', info: 'NEW' };
}

/** The protocol's own look at the packet (nf_conntrack_handle_packet); false: INVALID. */
function updateProtocol(
  { entry, direction }: ConntrackReference,
  packet: Packet,
  now: number,
  remove: (entry: ConntrackReference['entry']) => void,
): boolean {
  const { l4 } = packet;
  switch (l4.protocol) {
    case 'tcp': {
      const old = entry.tcp;
      const state = nextTcpState(direction, old, l4.flags);
      if (state === 'INVALID') return false;
      if (state === 'IGNORE') return true;
      entry.tcp = state;
      // A RST as the only answer ends the connection at once (nf_conntrack_tcp_packet).
      if (!entry.seenReply && l4.flags & TCP_FLAG.RST) {
        remove(entry);
        return true;
      }
      if (!entry.assured && entry.seenReply && state === 'ESTABLISHED' && (old === 'SYN_RECV' || old === 'ESTABLISHED')) {
        entry.assured = true;
      }
      entry.expires = now + TCP_TIMEOUT[state];
      return true;
    }
    case 'udp':
      entry.expires = now + (entry.seenReply ? UDP_TIMEOUT.stream : UDP_TIMEOUT.fresh);
      return true;
    case 'icmp':
    case 'icmpv6':
      entry.expires = now + ICMP_TIMEOUT;
      return true;
    case 'sctp':
      return updateSctp(entry, direction, l4.chunk, now);
    case 'other':
      entry.expires = now + GENERIC_TIMEOUT;
      return true;
  }
}

/** nf_conntrack_sctp_packet. Verification tags are taken to be right. */
function updateSctp(entry: ConntrackReference['entry'], direction: Direction, chunk: number, now: number): boolean {
  const old = entry.sctp;
  const state = nextSctpState(direction, old, chunk);
  if (state === 'INVALID') return false;
  entry.sctp = state;
  if (state === 'ESTABLISHED' && old !== state) entry.assured = true;
  // An INIT sent again does not keep a connection that nobody answers alive.
  const again = chunk === SCTP_CHUNK.INIT && state === 'CLOSED' && old === 'CLOSED' && entry.confirmed;
  if (!again) entry.expires = now + SCTP_TIMEOUT[state];
  return true;
}

/** nf_conntrack_confirm: the packet has passed its last hook, its new entry goes into the table. A clash drops the packet. */
export function conntrackConfirm({ walk, host, skb }: HookCall): HookVerdict {
  const reference = skb.conntrack;
  if (!reference || reference.entry.confirmed || reference.direction !== 'original') return ACCEPT;
  const inserted = walk.state.host(host.name).conntrack.insert(reference.entry, walk.state.now);
  return inserted ? ACCEPT : { kind: 'drop', reason: 'NETFILTER_DROP', where: 'nf_confirm' };
}
