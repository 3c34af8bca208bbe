import { isIpv4 } from '../../net/ip.ts';
import { isLaterFragment } from '../../net/packet.ts';
import { attachedReference, isIcmpError } from '../netfilter/conntrack/related.ts';
import { routeOutput } from '../routing/output.ts';
import { sysctl } from '../sysctl.ts';
import { answerPart } from './part.ts';
import { localSkb } from './skb.ts';
import type { Packet } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** Longest ICMP error (RFC 1812 4.3.2.3). */
const MAX_ERROR = 576;
const HEADERS = 28;

export interface IcmpErrorKind {
  readonly type: number;
  readonly code: number;
  /** Next-hop MTU of "fragmentation needed". */
  readonly mtu?: number;
}

export const UNREACHABLE = {
  NET: { type: 3, code: 0 },
  HOST: { type: 3, code: 1 },
  PORT: { type: 3, code: 3 },
  ADMIN: { type: 3, code: 13 },
} as const satisfies Record<string, IcmpErrorKind>;
export const TIME_EXCEEDED: IcmpErrorKind = { type: 11, code: 0 };

/**
 * __icmp_send: the host answers a packet with an error: from the packet's own destination if that is an address of the host, else from
 * the device by which the error leaves. None about errors, later fragments, or frames that were not for this host.
 */
export function sendIcmpError(walk: Walk, host: Host, about: Skb, { type, code, mtu }: IcmpErrorKind): void {
  const { packet } = about;
  if (about.packetType !== 'host' || isLaterFragment(packet) || isIcmpError(packet) || !isIpv4(packet.src)) return;
  const wanted = about.route?.kind === 'local' ? packet.dst : null;
  const tos = (packet.tos & 0x1e) | 0xc0;
  const route = routeOutput(
    host,
    { dst: packet.src, src: wanted, iif: 'lo', oif: null, mark: 0, tos: tos & 0x1c, protocol: 'icmp', sport: 0, dport: 0 },
    walk.choices,
  );
  if (route.kind === 'error' || route.source === null) return;
  const error: Packet = {
    src: route.source,
    dst: packet.src,
    ttl: sysctl(host.sysctls, 'net.ipv4.ip_default_ttl'),
    tos,
    df: false,
    length: Math.min(MAX_ERROR, HEADERS + packet.length),
    l4: { protocol: 'icmp', type, code, id: 0, ...(mtu !== undefined && { mtu }), embedded: packet },
  };
  const skb = localSkb(error, answerPart(about), false);
  skb.route = route;
  skb.conntrack = attachedReference(about.conntrack);
  walk.push({ kind: 'output', host: host.name, skb });
}
