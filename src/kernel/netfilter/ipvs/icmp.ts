import { known, connectionsOf, quotedEnds, redirected } from './packet.ts';
import { natTransmit } from './transmit.ts';
import type { Packet } from '../../../net/packet.ts';
import type { IpvsConnection } from '../../ipvs/connection-table.ts';
import type { HookCall, HookVerdict } from '../hook.ts';

/** ip_vs_in_icmp: an error about an answer that a client got goes to the real server. Null: it is about none. */
export function ipvsInIcmp(call: HookCall): HookVerdict | null {
  const { walk, skb } = call;
  const quoted = quotedEnds(skb.packet);
  const connection = quoted && connectionsOf(call).findInward(quoted.protocol, quoted.source, quoted.destination, walk.state.now);
  return connection && natTransmit(call, connection, withQuoted(skb.packet, connection, 'in'), known(connection));
}

/** The connection whose request an error quotes (ip_vs_out_icmp); null: none. */
export function quotedConnection(call: HookCall): IpvsConnection | null {
  const quoted = quotedEnds(call.skb.packet);
  return quoted && connectionsOf(call).findOutward(quoted.protocol, quoted.source, quoted.destination, call.walk.state.now);
}

/** ip_vs_nat_icmp: the error and what it quotes name the real server (in) or the virtual one (out). */
export function withQuoted(packet: Packet, { virtual, real }: IpvsConnection, direction: 'in' | 'out'): Packet {
  const { l4 } = packet;
  if (!('embedded' in l4) || !l4.embedded) return packet;
  const embedded = direction === 'in' ? redirected(l4.embedded, 'src', real) : redirected(l4.embedded, 'dst', virtual);
  const outer = direction === 'in' ? { ...packet, dst: real.address } : { ...packet, src: virtual.address };
  return { ...outer, l4: { ...l4, embedded } };
}
