import { proxiedPortsOf } from './portals.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';
import type { ProxiedPort } from './portals.ts';

/** To where kube-proxy's process relays what comes in by one of its ports. */
export interface UserspaceTargets {
  readonly servicePort: ProxyServicePort;
  /** In the order in which their turn comes; it begins anywhere, since kube-proxy shuffles them. Empty: it takes a connection and closes it. */
  readonly endpoints: readonly ProxyEndpoint[];
  /** ClientIP: a client that was relayed less than so many seconds ago keeps its endpoint. null: none. */
  readonly affinity: { readonly seconds: number } | null;
}

/**
 * The endpoints behind a port of the process kube-proxy on a node in userspace mode (roundrobin.go NextEndpoint); null where no service has
 * that port, and in other modes.
 */
export function userspaceTargets(
  cluster: Cluster,
  node: Node,
  port: number,
  protocol: ProxiedPort['protocol'],
): UserspaceTargets | null {
  if (cluster.kubeProxy.mode !== 'userspace') return null;
  const found = proxiedPortsOf(cluster, node).find((each) => each.proxyPort === port && each.protocol === protocol);
  if (found === undefined) return null;
  const seconds = found.port.affinitySeconds;
  return {
    servicePort: found.port,
    endpoints: found.endpoints(),
    affinity: seconds === null ? null : { seconds },
  };
}
