import type { Cidr } from '../../net/cidr.ts';

/** The `loadBalancer` key of a scenario: how the cloud's balancer works for services of type LoadBalancer. */
export interface LoadBalancerSettings {
  /** nodePort: it connects to the node port of a node; direct: it delivers packets to a node with the balancer's address kept. */
  readonly mode: 'nodePort' | 'direct';
  /** Public addresses for services that have none yet, at most one range a family. */
  readonly publicCidrs: readonly Cidr[];
  /** status.loadBalancer.ingress.ipMode of those. */
  readonly ipMode: 'VIP' | 'Proxy';
}
