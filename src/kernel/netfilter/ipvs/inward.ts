import { TCP_FLAG } from '../../../net/packet.ts';
import { findVirtualServer, formatVirtualServer, samePlace } from '../../ipvs/virtual-server.ts';
import { schedule } from '../../ipvs/scheduler/schedule.ts';
import { sysctl } from '../../sysctl.ts';
import { sendIcmpError, UNREACHABLE } from '../../walk/icmp-error.ts';
import { isIcmpError } from '../conntrack/related.ts';
import { ACCEPT } from '../hook.ts';
import { ipvsInIcmp } from './icmp.ts';
import { connectionsOf, endsOf, known, realServerOf, redirected, updateState } from './packet.ts';
import { natTransmit } from './transmit.ts';
import type { L4Header } from '../../../net/packet.ts';
import type { NatEvent } from '../../../trace/event.ts';
import type { IpvsConnection, IpvsEnd } from '../../ipvs/connection-table.ts';
import type { RealServer, VirtualServer } from '../../ipvs/virtual-server.ts';
import type { HookCall, HookVerdict } from '../hook.ts';

/** ip_vs_in_hook: a packet to a virtual server goes to the connection's real server; a new connection is given one. */
export function ipvsIn(call: HookCall): HookVerdict {
  const { walk, skb, hook } = call;
  const { packet } = skb;
  if (skb.ipvs || (skb.packetType !== 'host' && hook !== 'OUTPUT')) return ACCEPT;
  if (isIcmpError(packet)) return ipvsInIcmp(call) ?? ACCEPT;
  const ends = endsOf(packet);
  if (!ends) return ACCEPT;
  const table = connectionsOf(call);
  const found = table.findInward(packet.l4.protocol, ends.source, ends.destination, walk.state.now);
  const status = found && statusOf(call, found);
  if (found && status === 'expired') {
    table.delete(found);
    // The old connection's conntrack entry can't be led to another server: it goes, and this packet with it (ip_vs_conn_uses_old_conntrack).
    if (skb.conntrack?.entry.confirmed) {
      if (found.conntrack) walk.state.host(call.host.name).dropConntrack(found, walk.state.now);
      return drop('ip_vs_in_hook', found.server);
    }
  }
  if (found && status === 'lost') return drop('ip_vs_in_hook', found.server);
  if (found && status === 'valid') return forwardTo(call, found, known(found));
  return scheduleNew(call, ends.source, ends.destination);
}

function forwardTo(call: HookCall, connection: IpvsConnection, more: Pick<NatEvent, 'origin' | 'ipvs'>): HookVerdict {
  updateState(connection, 'in', call);
  return natTransmit(call, connection, redirected(call.skb.packet, 'dst', connection.real), more);
}

/** May a known connection go on? A closed one that is opened anew, or one to a server that takes no more, may be given away again. */
function statusOf(call: HookCall, connection: IpvsConnection): 'valid' | 'expired' | 'lost' {
  const { host, skb } = call;
  const real = realServerOf(host, connectionsOf(call), connection);
  const expires = sysctl(host.sysctls, 'net.ipv4.vs.expire_nodest_conn') !== 0;
  if (!real) return expires ? 'expired' : 'lost';
  if (!opens(skb.packet.l4)) return 'valid';
  if (expires && real.weight === 0) return 'expired';
  const isClosed = connection.state === 'TIME_WAIT' || connection.state === 'CLOSE';
  const isReused = sysctl(host.sysctls, 'net.ipv4.vs.conn_reuse_mode') !== 0 && !connection.persistent && isClosed;
  return isReused ? 'expired' : 'valid';
}

/** is_new_conn */
function opens(l4: L4Header): boolean {
  if (l4.protocol === 'tcp') return (l4.flags & TCP_FLAG.SYN) !== 0;
  return l4.protocol === 'sctp' && l4.chunk === 1;
}

/** May a packet of no connection begin one (tcp_conn_schedule, udp_conn_schedule, sctp_conn_schedule)? */
function mayBegin({ host, skb }: HookCall): boolean {
  const { l4 } = skb.packet;
  switch (l4.protocol) {
    case 'tcp':
      return !(l4.flags & TCP_FLAG.RST) && (opens(l4) || sysctl(host.sysctls, 'net.ipv4.vs.sloppy_tcp') !== 0);
    case 'sctp':
      return opens(l4) || sysctl(host.sysctls, 'net.ipv4.vs.sloppy_sctp') !== 0;
    case 'udp':
      return true;
    case 'icmp':
    case 'icmpv6':
    case 'other':
      return false;
  }
}

/** ip_vs_schedule, ip_vs_sched_persist: what is for no virtual server goes on to the host's own sockets. */
function scheduleNew(call: HookCall, client: IpvsEnd, virtual: IpvsEnd): HookVerdict {
  const { walk, host, skb } = call;
  const { protocol } = skb.packet.l4;
  const server = mayBegin(call) && findVirtualServer(host.netfilter.ipvs, protocol, virtual.address, virtual.port);
  if (!server) return ACCEPT;
  const table = connectionsOf(call);
  const { now } = walk.state;
  // An answer of a real server on this host is none of a client (skb->dev is unset or lo).
  const isLocal = skb.device === null || host.devices.get(skb.device)?.kind === 'loopback';
  if (isLocal && table.findInward(protocol, virtual, client, now)) return ACCEPT;
  const remembered = server.persistence === null ? null : rememberedServer(call, server, client);
  const pick = (what: string, weights: readonly number[]): number => walk.choices.pick(what, weights);
  const real = remembered ?? schedule({ server, client, table, now, pick });
  if (!real) return leave(call, server);
  const connection: IpvsConnection = {
    protocol: server.protocol,
    client,
    virtual,
    real: { address: real.address, port: real.port || virtual.port },
    server,
    persistent: server.persistence !== null,
    conntrack: sysctl(host.sysctls, 'net.ipv4.vs.conntrack') !== 0,
    state: 'NONE',
    expires: now,
  };
  if (server.persistence !== null) {
    table.remember(server, client.address, { real: connection.real, expires: now + server.persistence * 1000 });
  }
  const verdict = forwardTo(call, connection, {
    ipvs: {
      server: formatVirtualServer(server),
      scheduler: remembered ? 'persistence' : server.scheduler,
      realServers: server.realServers.length,
    },
    ...(server.origin && { origin: server.origin }),
  });
  table.add(connection);
  return verdict;
}

/** The template's real server, if it is still there and takes connections (ip_vs_check_template). */
function rememberedServer(call: HookCall, server: VirtualServer, client: IpvsEnd): RealServer | null {
  const { walk, host } = call;
  const table = connectionsOf(call);
  const template = table.template(server, client.address, walk.state.now);
  const real = template && server.realServers.find((candidate) => samePlace(candidate, template.real));
  if (!real) return null;
  return real.weight === 0 && sysctl(host.sysctls, 'net.ipv4.vs.expire_quiescent_template') !== 0 ? null : real;
}

/** ip_vs_leave: no real server takes the connection: its client is told that the port is unreachable. */
function leave({ walk, host, skb }: HookCall, server: VirtualServer): HookVerdict {
  sendIcmpError(walk, host, skb, UNREACHABLE.PORT);
  return drop('ip_vs_leave', server);
}

function drop(where: string, server: VirtualServer): HookVerdict {
  return {
    kind: 'drop',
    reason: 'NETFILTER_DROP',
    where,
    detail: { virtualServer: formatVirtualServer(server) },
    ...(server.origin && { origin: server.origin }),
  };
}
