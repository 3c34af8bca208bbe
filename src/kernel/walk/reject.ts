import { ipHeaderLength, isIpv4 } from '../../net/ip.ts';
import { TCP_FLAG, isLaterFragment } from '../../net/packet.ts';
import { attachedReference } from '../netfilter/conntrack/related.ts';
import { outputFlow } from '../routing/lookup.ts';
import { routeOutput } from '../routing/output.ts';
import { hopLimit } from '../sysctl.ts';
import { sendIcmpError } from './icmp-error.ts';
import { answerPart } from './part.ts';
import { localSkb } from './skb.ts';
import type { Packet, TcpHeader } from '../../net/packet.ts';
import type { HookCall } from '../netfilter/hook.ts';
import type { RejectWith } from '../netfilter/iptables/target/target.ts';

/** Codes of ICMP destination unreachable (ipt_REJECT.c). */
const CODE: Readonly<Partial<Record<RejectWith, number>>> = {
  'icmp-net-unreachable': 0,
  'icmp-host-unreachable': 1,
  'icmp-proto-unreachable': 2,
  'icmp-port-unreachable': 3,
  'icmp-net-prohibited': 9,
  'icmp-host-prohibited': 10,
  'icmp-admin-prohibited': 13,
};

/** Codes of ICMPv6 destination unreachable (ip6t_REJECT.c). */
const CODE_6: Readonly<Partial<Record<RejectWith, number>>> = {
  'icmp6-no-route': 0,
  'icmp6-adm-prohibited': 1,
  'icmp6-addr-unreachable': 3,
  'icmp6-port-unreachable': 4,
  'icmp6-policy-fail': 5,
};

/** The REJECT target's answer; the packet itself is dropped by the caller. */
export function reject(call: HookCall, kind: RejectWith): void {
  if (kind === 'tcp-reset') {
    sendReset(call);
    return;
  }
  const [type, code] = isIpv4(call.skb.packet.dst) ? [3, CODE[kind]] : [1, CODE_6[kind]];
  if (code !== undefined) sendIcmpError(call.walk, call.host, call.skb, { v4: { type, code }, v6: { type, code } });
}

/** nf_send_reset, nf_send_reset6: a RST with the addresses swapped, related to the packet's connection. */
function sendReset({ walk, host, skb }: HookCall): void {
  const { packet } = skb;
  const { l4 } = packet;
  if (l4.protocol !== 'tcp' || l4.flags & TCP_FLAG.RST || isLaterFragment(packet)) return;
  const reset = localSkb(resetFor(packet, l4, hopLimit(host.sysctls, packet.src)), answerPart(skb), false);
  reset.conntrack = attachedReference(skb.conntrack);
  if (skb.bridge) {
    // Sent straight back by the port it came from, past all hooks.
    reset.srcMac = skb.dstMac;
    reset.dstMac = skb.srcMac;
    walk.push({ kind: 'transmit', host: host.name, device: skb.bridge.physIn, skb: reset });
    return;
  }
  // nf_ct_set_closing
  if (skb.conntrack?.entry.confirmed) skb.conntrack.entry.tcp = 'CLOSE';
  const route = routeOutput(host, { ...outputFlow(reset.packet, reset.packet.src, 0), anySource: true }, walk.choices);
  if (route.kind === 'error') return;
  reset.route = route;
  walk.push({ kind: 'output', host: host.name, skb: reset });
}

/** A RST for a segment (RFC 9293 3.10.7.1): with ACK where the segment has none. */
export function resetFor(packet: Packet, tcp: TcpHeader, ttl: number): Packet {
  const flags = tcp.flags & TCP_FLAG.ACK ? TCP_FLAG.RST : TCP_FLAG.RST | TCP_FLAG.ACK;
  return {
    src: packet.dst,
    dst: packet.src,
    ttl,
    tos: 0,
    df: true,
    length: ipHeaderLength(packet.src) + 20,
    l4: { protocol: 'tcp', sport: tcp.dport, dport: tcp.sport, flags },
  };
}
