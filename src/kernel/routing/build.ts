import { isIpv4Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { Route, RouteScope } from './route.ts';

/** What a plain unicast route may say beside its destination. */
export interface RouteOptions {
  readonly via?: IpAddress;
  readonly dev: string;
  readonly onlink?: boolean;
  readonly source?: IpAddress;
  readonly scope?: RouteScope;
  readonly protocol?: string;
}

/** Metric of an IPv6 route that names none (IP6_RT_PRIO_USER). */
export const METRIC6 = 1024;

/**
 * A unicast route over one device, with the defaults of `ip route add`: scope link without a gateway, else global; of IPv6 always global,
 * and with a metric.
 */
export function unicastRoute(dst: Cidr, options: RouteOptions): Route {
  const { via = null, dev, onlink = false, source = null, protocol = null } = options;
  return {
    type: 'unicast',
    dst,
    scope: options.scope ?? (via === null && isIpv4Cidr(dst) ? 'link' : 'global'),
    nexthops: [{ via, dev, onlink, weight: 1 }],
    source,
    metric: isIpv4Cidr(dst) ? 0 : METRIC6,
    tos: 0,
    protocol,
    mtu: null,
  };
}
