import type { Host } from '../host.ts';
import type { ResolvedRoute } from './resolved-route.ts';

/** A route that leads somewhere. */
export type SendableRoute = Exclude<ResolvedRoute, { kind: 'error' }>;

/** dst_mtu: the route's own MTU, else the device's. */
export function mtuOf(host: Host, route: SendableRoute): number {
  return route.route.mtu ?? deviceMtu(host, route);
}

export function deviceMtu(host: Host, route: SendableRoute): number {
  return host.devices.get(route.device)?.mtu ?? 65536;
}
