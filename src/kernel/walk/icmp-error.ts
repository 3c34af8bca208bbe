import { ipHeaderLength, isIpv4 } from '../../net/ip.ts';
import { isLaterFragment } from '../../net/packet.ts';
import { attachedReference, isIcmpError } from '../netfilter/conntrack/related.ts';
import { isLocalAddress } from '../routing/address-type.ts';
import { routeOutput } from '../routing/output.ts';
import { selectAddress } from '../routing/source-address.ts';
import { hopLimit } from '../sysctl.ts';
import { answerPart } from './part.ts';
import { localSkb } from './skb.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** Longest ICMP error (RFC 1812 4.3.2.3), and longest ICMPv6 one (the minimum MTU of IPv6, RFC 4443 2.4). */
const MAX_ERROR = 576;
const MAX_ERROR_6 = 1280;
const ICMP_HEADER = 8;

/** Type and code of an ICMP message. */
export interface IcmpErrorKind {
  readonly type: number;
  readonly code: number;
}

/** An error by what it says, with its type and code in ICMP and in ICMPv6 (RFC 792, RFC 4443). */
export interface IcmpErrorKinds {
  readonly v4: IcmpErrorKind;
  readonly v6: IcmpErrorKind;
}

export const UNREACHABLE = {
  NET: { v4: { type: 3, code: 0 }, v6: { type: 1, code: 0 } },
  HOST: { v4: { type: 3, code: 1 }, v6: { type: 1, code: 3 } },
  PORT: { v4: { type: 3, code: 3 }, v6: { type: 1, code: 4 } },
  ADMIN: { v4: { type: 3, code: 13 }, v6: { type: 1, code: 1 } },
  /** No such protocol above IP; in ICMPv6 a parameter problem, "unrecognized next header". */
  PROTOCOL: { v4: { type: 3, code: 2 }, v6: { type: 4, code: 1 } },
} as const satisfies Record<string, IcmpErrorKinds>;
export const TIME_EXCEEDED: IcmpErrorKinds = { v4: { type: 11, code: 0 }, v6: { type: 3, code: 0 } };
/** "Fragmentation needed", and "packet too big". */
export const TOO_BIG: IcmpErrorKinds = { v4: { type: 3, code: 4 }, v6: { type: 2, code: 0 } };

/**
 * __icmp_send, icmp6_send: the host answers a packet with an error; see the two for where from. None about errors, or frames that were
 * not for this host. `mtu`: next-hop MTU of {@link TOO_BIG}.
 */
export function sendIcmpError(walk: Walk, host: Host, about: Skb, kinds: IcmpErrorKinds, mtu?: number): void {
  const { packet } = about;
  const isV4 = isIpv4(packet.src);
  // ICMPv6 speaks of later fragments too, and of what was for others where it is too big.
  const refused = isV4
    ? about.packetType !== 'host' || isLaterFragment(packet)
    : about.packetType !== 'host' && kinds !== TOO_BIG;
  if (refused || isIcmpError(packet)) return;
  const tos = isV4 ? (packet.tos & 0x1e) | 0xc0 : 0;
  const route = isV4
    ? routeFrom(walk, host, packet, about.route?.kind === 'local' ? packet.dst : null, tos)
    : route6(walk, host, about);
  if (route.kind === 'error' || route.source === null) return;
  const { type, code } = isV4 ? kinds.v4 : kinds.v6;
  const error: Packet = {
    src: route.source,
    dst: packet.src,
    ttl: hopLimit(host.sysctls, packet.src),
    tos,
    df: !isV4,
    length: Math.min(isV4 ? MAX_ERROR : MAX_ERROR_6, ipHeaderLength(packet.src) + ICMP_HEADER + packet.length),
    l4: { protocol: isV4 ? 'icmp' : 'icmpv6', type, code, id: 0, ...(mtu !== undefined && { mtu }), embedded: packet },
  };
  const skb = localSkb(error, answerPart(about), false);
  skb.route = route;
  skb.conntrack = attachedReference(about.conntrack);
  walk.push({ kind: 'output', host: host.name, skb });
}

/**
 * icmp6_send: from the packet's own destination if that is an address of the host, else the route back may prefer a source, else it is
 * the address that suits the device by which the packet came. What came by a port of a bridge is not known to have come by any.
 */
function route6(walk: Walk, host: Host, about: Skb): ResolvedRoute {
  const { packet, device, bridge } = about;
  if (about.packetType === 'host' && isLocalAddress(host.routing, packet.dst))
    return routeFrom(walk, host, packet, packet.dst, 0);
  const route = routeFrom(walk, host, packet, null, 0);
  const isUp = bridge === null || (bridge.physOut === null && device === bridge.bridge);
  const cameBy = isUp && !about.outer ? device : null;
  if (route.kind === 'error' || cameBy === null || route.route.source !== null) return route;
  return { ...route, source: selectAddress(host, cameBy, packet.src) ?? route.source };
}

function routeFrom(walk: Walk, host: Host, { src }: Packet, source: IpAddress | null, tos: number): ResolvedRoute {
  const protocol = isIpv4(src) ? 'icmp' : 'icmpv6';
  const flow = { dst: src, src: source, iif: 'lo', oif: null, mark: 0, tos: tos & 0x1c, protocol, sport: 0, dport: 0 };
  return routeOutput(host, flow, walk.choices);
}
