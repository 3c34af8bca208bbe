import { isIpv4, isMulticast } from '../../net/ip.ts';
import { localRoute } from './lookup.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { AddressType } from '../netfilter/iptables/context.ts';
import type { RoutingPolicy } from './route.ts';

/** inet_addr_type: what an address is to this host, by the local table alone. */
export function addressType(policy: RoutingPolicy, address: IpAddress): AddressType {
  return addressTypeOn(policy, address, null);
}

/** inet_dev_addr_type: the same, counting only addresses of one device (null: any). */
export function addressTypeOn(policy: RoutingPolicy, address: IpAddress, device: string | null): AddressType {
  if (isIpv4(address)) {
    if (address >>> 24 === 0 || address === 0xffffffff) return 'BROADCAST';
  }
  if (isMulticast(address)) return 'MULTICAST';
  const route = localRoute(policy, address);
  if (!route || (device !== null && route.nexthops[0]?.dev !== device)) return 'UNICAST';
  switch (route.type) {
    case 'local':
      return 'LOCAL';
    case 'broadcast':
      return 'BROADCAST';
    case 'unreachable':
      return 'UNREACHABLE';
    case 'prohibit':
      return 'PROHIBIT';
    case 'blackhole':
      return 'BLACKHOLE';
    case 'throw':
      return 'THROW';
    case 'unicast':
      return 'UNICAST';
  }
}

/** Is it an address of this host? */
export function isLocalAddress(policy: RoutingPolicy, address: IpAddress): boolean {
  return addressType(policy, address) === 'LOCAL';
}
