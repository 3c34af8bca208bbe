import { isIpv4, isMulticast } from '../../net/ip.ts';
import { deviceSettings } from '../device/settings.ts';
import { perHost } from '../per-host.ts';
import { sysctl } from '../sysctl.ts';
import { hasCustomRules, inputFlow, lookup, ROUTING_TOS, transport } from './lookup.ts';
import { selectNextHop } from './next-hop.ts';
import { isLoopback } from './output.ts';
import { TABLE_LOCAL } from './route.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Packet } from '../../net/packet.ts';
import type { Host } from '../host.ts';
import type { Choices } from '../walk/choices.ts';
import type { Flow } from './lookup.ts';
import type { ResolvedRoute } from './resolved-route.ts';

/** A packet that the routing code refuses at once, with the kernel's drop reason. */
export interface Martian {
  readonly kind: 'martian';
  readonly reason: 'IP_INVALID_SOURCE' | 'IP_LOCALNET' | 'IP_LOCAL_SOURCE' | 'IP_RPFILTER' | 'IP_INVALID_DEST';
}

/**
 * ip_route_input_slow, ip6_route_input: what to do with a packet that came by a device: deliver it here, forward it, or an error that ip_error turns
 * into silence or an ICMP answer.
 */
export function routeInput(host: Host, packet: Packet, device: string, mark: number, choices: Choices): ResolvedRoute | Martian {
  const { src, dst } = packet;
  if (!isIpv4(dst)) return routeInput6(host, packet, device, mark, choices);
  if (isMulticastOrBroadcast(src)) return { kind: 'martian', reason: 'IP_INVALID_SOURCE' };
  const localnet = deviceSettings(host, device).routeLocalnet;
  if (isLoopback(src) && !localnet) return { kind: 'martian', reason: 'IP_LOCALNET' };
  if (isIpv4(dst) && dst >>> 24 === 0) return { kind: 'martian', reason: 'IP_INVALID_DEST' };
  if (isLoopback(dst) && !localnet) return { kind: 'martian', reason: 'IP_LOCALNET' };
  const forwarding = isForwarding(host, packet, device);
  const flow = inputFlow(packet, device, mark);
  const found = lookup(host.routing, flow);
  if (!found.ok) {
    return { kind: 'error', error: forwarding ? found.error : 'EHOSTUNREACH', route: found.route, table: found.table };
  }
  const { route, table } = found;
  if (route.type === 'broadcast' || route.type === 'local') {
    const martian = validateSource(host, packet, device, mark, 'lo');
    if (martian) return martian;
    return { kind: route.type, device: 'lo', gateway: null, onlink: false, route, table, source: null };
  }
  if (!forwarding) return { kind: 'error', error: 'EHOSTUNREACH', route, table };
  const hop = selectNextHop(route, flow, choices);
  const martian = validateSource(host, packet, device, mark, hop?.dev ?? 'lo');
  if (martian) return martian;
  if (!hop?.dev) return { kind: 'error', error: 'ENETUNREACH', route, table };
  return { kind: 'unicast', device: hop.dev, gateway: hop.via, onlink: hop.onlink, route, table, source: null };
}

/**
 * ip6_route_input: a look-up and no more. Where a packet comes from is nobody's concern: IPv6 has no rp_filter, takes its own addresses
 * as sources, and finds out only in ip6_forward whether this host forwards.
 */
function routeInput6(host: Host, packet: Packet, device: string, mark: number, choices: Choices): ResolvedRoute {
  const flow = inputFlow(packet, device, mark);
  const found = lookup(host.routing, flow);
  if (!found.ok) return { kind: 'error', error: found.error, route: found.route, table: found.table };
  const { route, table } = found;
  if (route.type === 'local') return { kind: 'local', device: 'lo', gateway: null, onlink: false, route, table, source: null };
  const hop = selectNextHop(route, flow, choices);
  if (!hop?.dev) return { kind: 'error', error: 'ENETUNREACH', route, table };
  return { kind: 'unicast', device: hop.dev, gateway: hop.via, onlink: hop.onlink, route, table, source: null };
}

/** Does this host forward packets that come by a device (IN_DEV_FORWARD; of IPv6 conf.all.forwarding decides for all devices)? */
export function isForwarding(host: Host, packet: Packet, device: string): boolean {
  return isIpv4(packet.src) ? deviceSettings(host, device).forwarding : forwardsIpv6(host);
}

const forwardsIpv6 = perHost((host) => sysctl(host.sysctls, 'net.ipv6.conf.all.forwarding') !== 0);

/** fib_validate_source: may this source come by this device? The way back enters by the device the packet would leave by. */
function validateSource(host: Host, packet: Packet, device: string, mark: number, outDevice: string): Martian | null {
  const { rpFilter: mode, acceptLocal, sourceValidMark } = deviceSettings(host, device);
  if (mode === 0) {
    if (acceptLocal) return null;
    if (!isCustomRouted(host)) {
      return deviceAddresses(host).has(packet.src) ? { kind: 'martian', reason: 'IP_LOCAL_SOURCE' } : null;
    }
  }
  const ports = transport(packet);
  const back: Flow = {
    dst: packet.src,
    src: packet.dst,
    iif: outDevice,
    oif: null,
    mark: sourceValidMark ? mark : 0,
    tos: packet.tos & ROUTING_TOS,
    protocol: ports.protocol,
    sport: ports.dport,
    dport: ports.sport,
  };
  return checkWayBack(host, back, device, mode, acceptLocal);
}

/** __fib_validate_source: a look-up of the way back. `mode` is rp_filter: 0 none, 1 strict, 2 loose. */
function checkWayBack(host: Host, back: Flow, device: string, mode: number, acceptLocal: boolean): Martian | null {
  const found = lookup(host.routing, back);
  if (!found.ok) return mode !== 0 ? { kind: 'martian', reason: 'IP_RPFILTER' } : null;
  const { route } = found;
  if (route.type !== 'unicast' && !(route.type === 'local' && acceptLocal)) return { kind: 'martian', reason: 'IP_LOCAL_SOURCE' };
  if (route.nexthops.some(({ dev }) => dev === device)) return null;
  return mode === 1 ? { kind: 'martian', reason: 'IP_RPFILTER' } : null;
}

/** The rpfilter match (ipt_rpfilter.c): is there a way back by this device (loose: by any)? */
export function hasReversePath(
  host: Host,
  packet: Packet,
  device: string,
  mark: number,
  loose: boolean,
  acceptLocal: boolean,
): boolean {
  const found = lookup(host.routing, {
    dst: packet.src,
    src: packet.dst,
    iif: 'lo',
    oif: null,
    mark,
    tos: packet.tos & ROUTING_TOS,
    protocol: 'other',
    sport: 0,
    dport: 0,
  });
  if (!found.ok) return false;
  if (found.route.type !== 'unicast' && !(found.route.type === 'local' && acceptLocal)) return false;
  return loose || found.route.nexthops.some(({ dev }) => dev === device);
}

/** Every address on a device of the host (inet_lookup_ifaddr_rcu). */
const deviceAddresses = perHost(
  (host): ReadonlySet<IpAddress> =>
    new Set([...host.devices.values()].flatMap(({ addresses }) => addresses.map(({ address }) => address))),
);

/** With rules of one's own, or a local route that no address made (fib_has_custom_local_routes), the source is looked up in full. */
const isCustomRouted = perHost((host) => {
  if (hasCustomRules(host.routing)) return true;
  for (const route of host.routing.tables.get(TABLE_LOCAL)?.routes() ?? []) {
    if (route.type === 'local' && route.protocol !== 'kernel') return true;
  }
  return false;
});

function isMulticastOrBroadcast(address: IpAddress): boolean {
  return isMulticast(address) || address === 0xffffffff;
}
