import { invertTuple, tupleOf } from '../conntrack/tuple.ts';
import { formatVirtualServer, findVirtualServer, samePlace } from '../../ipvs/virtual-server.ts';
import { ipvsTimeout, nextIpvsTcpState } from '../../ipvs/tcp-state.ts';
import type { Packet } from '../../../net/packet.ts';
import type { NatEvent } from '../../../trace/event.ts';
import type { IpvsConnection, IpvsConnectionTable, IpvsEnd } from '../../ipvs/connection-table.ts';
import type { IpvsDirection } from '../../ipvs/tcp-state.ts';
import type { RealServer } from '../../ipvs/virtual-server.ts';
import type { Host } from '../../host.ts';
import type { Skb } from '../../walk/skb.ts';
import type { HookCall } from '../hook.ts';

/** Both ends of a packet with ports; null for protocols that IPVS does not know. */
export function endsOf(packet: Packet): { readonly source: IpvsEnd; readonly destination: IpvsEnd } | null {
  const { src, dst, l4 } = packet;
  if (l4.protocol !== 'tcp' && l4.protocol !== 'udp' && l4.protocol !== 'sctp') return null;
  return { source: { address: src, port: l4.sport }, destination: { address: dst, port: l4.dport } };
}

export function connectionsOf({ walk, host }: HookCall): IpvsConnectionTable {
  return walk.state.host(host.name).ipvs;
}

/** The packet with another destination, or another source. */
export function redirected(packet: Packet, side: 'src' | 'dst', { address, port }: IpvsEnd): Packet {
  const { l4 } = packet;
  const changed = side === 'src' ? { src: address } : { dst: address };
  const ports = side === 'src' ? { sport: port } : { dport: port };
  switch (l4.protocol) {
    case 'tcp':
      return { ...packet, ...changed, l4: { ...l4, ...ports } };
    case 'udp':
      return { ...packet, ...changed, l4: { ...l4, ...ports } };
    case 'sctp':
      return { ...packet, ...changed, l4: { ...l4, ...ports } };
    case 'icmp':
    case 'icmpv6':
    case 'other':
      return { ...packet, ...changed };
  }
}

/** ip_vs_set_state and the timer that ip_vs_conn_put starts anew. */
export function updateState(connection: IpvsConnection, direction: IpvsDirection, { walk, host, skb }: HookCall): void {
  const { l4 } = skb.packet;
  if (l4.protocol === 'tcp') connection.state = nextIpvsTcpState(direction, connection.state, l4.flags);
  connection.expires = walk.state.now + ipvsTimeout(l4.protocol, connection.state, host.netfilter.ipvsTimeouts);
}

/**
 * ip_vs_update_conntrack, ip_vs_notrack: conntrack learns of a new connection where the answers will come from (`in`), or as whom they
 * go out; without net.ipv4.vs.conntrack the packet leaves it.
 */
export function tellConntrack(skb: Skb, { conntrack, real, virtual }: IpvsConnection, direction: IpvsDirection): void {
  skb.ipvs = true;
  if (!conntrack) {
    skb.conntrack = null;
    skb.untracked = true;
    return;
  }
  const reference = skb.conntrack;
  if (!reference || reference.entry.confirmed || reference.direction !== 'original') return;
  const { entry } = reference;
  const { reply } = entry;
  entry.reply =
    direction === 'in'
      ? { ...reply, src: real.address, sport: real.port }
      : { ...reply, dst: virtual.address, dport: virtual.port };
}

/**
 * A connection's real server as it stands now. Null: it is gone (IP_VS_DEST_F_AVAILABLE); one that is left to run
 * out has weight 0.
 */
export function realServerOf({ netfilter }: Host, table: IpvsConnectionTable, connection: IpvsConnection): RealServer | null {
  const { protocol, virtual, real } = connection;
  const server = findVirtualServer(netfilter.ipvs, protocol, virtual.address, virtual.port);
  const known = server?.realServers.find((candidate) => samePlace(candidate, real));
  if (known) return known;
  return server && table.isQuiescent(server, real) ? { ...real, forwarding: 'masquerade', weight: 0 } : null;
}

/** What events tell of a connection that was known before. */
export function known({ server }: IpvsConnection): Pick<NatEvent, 'origin' | 'ipvs'> {
  return { ipvs: { server: formatVirtualServer(server) }, ...(server.origin && { origin: server.origin }) };
}

/** The packet that an ICMP error quotes, turned round: from whom it was sent to, to its sender. */
export function quotedEnds({
  l4,
}: Packet): { readonly protocol: string; readonly source: IpvsEnd; readonly destination: IpvsEnd } | null {
  const quoted = 'embedded' in l4 ? l4.embedded : undefined;
  const tuple = quoted && endsOf(quoted) && tupleOf(quoted);
  const turned = tuple && invertTuple(tuple);
  if (!turned) return null;
  const { protocol, src, sport, dst, dport } = turned;
  return { protocol, source: { address: src, port: sport }, destination: { address: dst, port: dport } };
}
