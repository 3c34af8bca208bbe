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

/** A unicast route over one device, with the defaults of `ip route add`: scope link without a gateway, else global. */
export function unicastRoute(dst: Cidr, options: RouteOptions): Route {
  const { via = null, dev, onlink = false, source = null, protocol = null } = options;
  return {
    type: 'unicast',
    dst,
    scope: options.scope ?? (via === null ? 'link' : 'global'),
    nexthops: [{ via, dev, onlink, weight: 1 }],
    source,
    metric: 0,
    tos: 0,
    protocol,
    mtu: null,
  };
}
