import { isIpv4 } from '../../net/ip.ts';
import { deviceSettings } from '../device/settings.ts';
import { isLocalAddress } from './address-type.ts';
import { lookup } from './lookup.ts';
import { selectNextHop } from './next-hop.ts';
import { selectAddress } from './source-address.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Host } from '../host.ts';
import type { Choices } from '../walk/choices.ts';
import type { Flow } from './lookup.ts';
import type { ResolvedRoute } from './resolved-route.ts';

/**
 * ip_route_output_key, ip6_route_output: the route of a packet of the host itself. Chooses the source where `flow.src` is null: the route's preferred
 * one, else an address of the device that suits the next hop.
 */
export function routeOutput(host: Host, flow: Flow, choices: Choices): ResolvedRoute {
  if (flow.src !== null && !flow.anySource && !isLocalAddress(host.routing, flow.src)) {
    return { kind: 'error', error: 'EINVAL', route: null, table: null };
  }
  const found = lookup(host.routing, flow);
  if (!found.ok) return { kind: 'error', error: found.error, route: found.route, table: found.table };
  const { route, table } = found;
  if (route.type === 'local') {
    // The destination is here: sent by lo, from the address itself unless the entry prefers another.
    const source = flow.src ?? route.source ?? flow.dst;
    return { kind: 'local', device: 'lo', gateway: null, onlink: false, route, table, source };
  }
  const hop = selectNextHop(route, flow, choices);
  if (!hop?.dev) return { kind: 'error', error: 'ENETUNREACH', route, table };
  // IPv4 takes an address that suits the gateway, without one the device's first (fib_info_update_nhc_saddr); IPv6 one that suits the
  // destination (ip6_route_get_saddr).
  const towards = isIpv4(flow.dst) ? hop.via : flow.dst;
  const source = flow.src ?? route.source ?? selectAddress(host, hop.dev, towards, route.scope === 'link' ? 'link' : 'global');
  if (source === null) return { kind: 'error', error: 'ENETUNREACH', route, table };
  if (
    isIpv4(source) &&
    isLoopback(source) &&
    host.devices.get(hop.dev)?.kind !== 'loopback' &&
    !deviceSettings(host, hop.dev).routeLocalnet
  ) {
    return { kind: 'error', error: 'EINVAL', route, table };
  }
  // What leaves by lo comes back to this host itself, whatever the route's type (__mkroute_output: RTCF_LOCAL).
  const isHere = host.devices.get(hop.dev)?.kind === 'loopback';
  const kind = isHere ? 'local' : route.type === 'broadcast' ? 'broadcast' : 'unicast';
  return { kind, device: hop.dev, gateway: hop.via, onlink: hop.onlink, route, table, source };
}

/** 127.0.0.0/8 or ::1. */
export function isLoopback(address: IpAddress): boolean {
  return isIpv4(address) ? address >>> 24 === 127 : address === 1n;
}
