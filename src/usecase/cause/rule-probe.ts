import { SCTP_CHUNK, chunkNumber } from '../../net/sctp.ts';
import { parseIp } from '../../net/ip.ts';
import { TCP_FLAG } from '../../net/packet.ts';
import type { L4Header, Packet } from '../../net/packet.ts';
import type { Host } from '../../kernel/host.ts';
import type { MatchContext } from '../../kernel/netfilter/iptables/context.ts';
import type { Match } from '../../kernel/netfilter/iptables/match/match.ts';
import type { TableName } from '../../kernel/netfilter/iptables/table.ts';
import type { ConntrackView } from '../../kernel/netfilter/conntrack/view.ts';
import { addressTypeOn } from '../../kernel/routing/address-type.ts';
import type { ConntrackEvent, HookName, PacketView } from '../../trace/event.ts';

/** A packet at a hook as far as events tell it: enough to ask simple matches again after the walk is over. */
export interface ProbedPacket {
  readonly host: Host;
  readonly hook: HookName;
  readonly table: TableName;
  readonly view: PacketView;
  readonly inDevice: string | null;
  readonly outDevice: string | null;
  readonly conntrack: ConntrackEvent['state'] | null;
}

/** Modules that look at nothing but what events tell. */
const KNOWABLE = new Set(['', 'comment', 'tcp', 'udp', 'icmp', 'mark', 'multiport', 'iprange', 'addrtype']);

/** Would a match hold? 'unknown' where events don't tell enough. */
export function probe(match: Match, packet: ProbedPacket): boolean | 'unknown' {
  if (match.unknown || match.stateful) return 'unknown';
  if (match.module === 'conntrack' || match.module === 'state') return probeState(match.text, packet.conntrack);
  const context = KNOWABLE.has(match.module) ? contextOf(packet) : null;
  return context === null ? 'unknown' : match.test(context);
}

/** "-m conntrack ! --ctstate NEW,ESTABLISHED"; other options of conntrack need the entry. */
function probeState(text: string, state: ConntrackEvent['state'] | null): boolean | 'unknown' {
  const match = /^-m (?:conntrack|state) (! )?--(?:ct)?state ([A-Z,]+)$/.exec(text);
  if (!match || state === null || /DNAT|SNAT/.test(match[2]!)) return 'unknown';
  return match[2]!.split(',').includes(state) !== (match[1] !== undefined);
}

function contextOf({ host, hook, table, view, inDevice, outDevice, conntrack }: ProbedPacket): MatchContext | null {
  const packet = packetOf(view);
  if (!packet) return null;
  const untold: ConntrackView = { state: conntrack === 'UNTRACKED' ? 'UNTRACKED' : 'INVALID' };
  return {
    host,
    hook,
    table,
    packet,
    mark: view.mark ?? 0,
    inDevice,
    outDevice,
    physIn: null,
    physOut: null,
    bridged: false,
    srcMac: null,
    packetType: 'unicast',
    conntrack: untold,
    socket: null,
    now: 0,
    ruleKey: '',
    moduleState: (_key, make) => make(),
    draw: () => false,
    ipset: (name) => host.netfilter.ipsets.get(name),
    addressType: (address, device) => addressTypeOn(host.routing, address, device),
    reversePath: () => true,
    socketExists: () => false,
  };
}

function packetOf(view: PacketView): Packet | null {
  const src = parseIp(view.src);
  const dst = parseIp(view.dst);
  const l4 = headerOf(view);
  if (src === null || dst === null || !l4) return null;
  return { src, dst, ttl: view.ttl, tos: 0, df: view.df, length: view.length, l4 };
}

function headerOf(view: PacketView): L4Header | null {
  const { protocol, sport, dport, icmp } = view;
  if ((protocol === 'icmp' || protocol === 'icmpv6') && icmp)
    return { protocol, type: icmp.type, code: icmp.code, id: icmp.id ?? 0 };
  if (sport === undefined || dport === undefined) return null;
  if (protocol === 'tcp') return { protocol, sport, dport, flags: flagsOf(view.flags ?? '') };
  if (protocol === 'udp') return { protocol, sport, dport };
  return protocol === 'sctp' ? { protocol, sport, dport, chunk: chunkNumber(view.chunk ?? '') ?? SCTP_CHUNK.INIT } : null;
}

function flagsOf(text: string): number {
  const names = text.split(',');
  return Object.entries(TCP_FLAG).reduce((bits, [name, bit]) => (names.includes(name) ? bits | bit : bits), 0);
}
