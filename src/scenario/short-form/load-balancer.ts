import type { LoadBalancerDraft } from '../drafts.ts';
import { readCidrs } from '../reading/addresses.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';

/** The `loadBalancer` key: the cluster runs in a cloud, whose balancer gives services of type LoadBalancer an address. */
export function readLoadBalancer(reader: Reader, settings: Mapping): LoadBalancerDraft {
  reader.allowOnly(settings, '"loadBalancer"', ['mode', 'publicCIDR', 'ipMode']);
  return {
    mode: reader.oneOf(settings, 'mode', ['nodePort', 'direct']),
    publicCidrs: readCidrs(reader, settings, 'publicCIDR'),
    ipMode: reader.oneOf(settings, 'ipMode', ['VIP', 'Proxy']),
    position: reader.position(settings),
  };
}
