import { routeOutput } from '../../routing/output.ts';
import { outputFlow } from '../../routing/lookup.ts';
import { sysctl } from '../../sysctl.ts';
import { rerouted } from '../../walk/reroute.ts';
import { isIcmpError } from '../conntrack/related.ts';
import { ACCEPT } from '../hook.ts';
import { emitRewrite } from '../nat/event.ts';
import { quotedConnection, withQuoted } from './icmp.ts';
import { connectionsOf, endsOf, known, redirected, tellConntrack, updateState } from './packet.ts';
import type { Packet } from '../../../net/packet.ts';
import type { IpvsConnection } from '../../ipvs/connection-table.ts';
import type { HookCall, HookVerdict } from '../hook.ts';

/** ip_vs_out_hook: an answer of a real server gets the source that the client knows. */
export function ipvsOut(call: HookCall): HookVerdict {
  const { walk, skb } = call;
  const { packet } = skb;
  if (skb.ipvs) return ACCEPT;
  if (isIcmpError(packet)) {
    const quoted = quotedConnection(call);
    return quoted ? sendOut(call, quoted, withQuoted(packet, quoted, 'out')) : ACCEPT;
  }
  const ends = endsOf(packet);
  const connection = ends && connectionsOf(call).findOutward(packet.l4.protocol, ends.source, ends.destination, walk.state.now);
  if (!connection) return ACCEPT;
  updateState(connection, 'out', call);
  return sendOut(call, connection, redirected(packet, 'src', connection.virtual));
}

/** handle_response, handle_response_icmp */
function sendOut(call: HookCall, connection: IpvsConnection, rewritten: Packet): HookVerdict {
  const { skb } = call;
  const before = skb.packet;
  skb.packet = rewritten;
  emitRewrite(call, before, 'src', false, known(connection));
  const verdict = routeAgain(call);
  if (verdict.kind !== 'accept') return verdict;
  tellConntrack(skb, connection, 'out');
  return ACCEPT;
}

/** ip_vs_route_me_harder: answers to other hosts are routed as if the host had sent them. A bridge asks too and uses nothing but the yes. */
function routeAgain(call: HookCall): HookVerdict {
  const { walk, host, skb, hook } = call;
  if (hook === 'INPUT' || skb.route?.kind === 'local' || sysctl(host.sysctls, 'net.ipv4.vs.snat_reroute') === 0) return ACCEPT;
  if (skb.route) return rerouted(call);
  const flow = { ...outputFlow(skb.packet, skb.packet.src, skb.mark), anySource: true as const };
  const isRouted = routeOutput(host, flow, walk.choices).kind !== 'error';
  return isRouted ? ACCEPT : { kind: 'drop', reason: 'NOT_SPECIFIED', where: 'ip_vs_route_me_harder' };
}
