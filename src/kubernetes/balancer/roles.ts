import type { Origin } from '../../trace/origin.ts';
import type { Balancer } from './balancers.ts';

/** What a piece of kernel state of the cloud is for. */
export type CloudRole =
  /** The balancer's interfaces, and the router's ports to them. */
  | 'uplink'
  | 'leg'
  | 'balancer-port'
  /** Leads to the balancer, or out of it. */
  | 'balancer-route'
  | 'router-route'
  | 'default-route'
  /** Leads replies of balanced connections to the balancer: what marks them, and their route. */
  | 'return-mark'
  | 'return-route'
  /** Leads a port of the service to the choice of a node. */
  | 'listener'
  /** The choice of a node. */
  | 'backend'
  /** Gives connections from the nodes' own network the balancer's address, so that answers come back to it. */
  | 'masquerade'
  /** loadBalancerSourceRanges: the list, what it allows, its end. */
  | 'source-ranges'
  | 'source-range-allow'
  | 'source-range'
  /** Drops: no node is healthy; the service has no node port; it has no such port. */
  | 'no-healthy-node'
  | 'no-node-port'
  | 'not-balanced';

/** The cloud's controller made it for a balancer's service. */
export function cloudOrigin({ name }: Balancer, role: CloudRole): Origin {
  return { object: `Service ${name}`, by: 'cloud-controller', role };
}
