import { proxiedPortsOf, userspaceFamily } from './portals.ts';
import { userspaceTables } from './rules.ts';
import type { IptablesTables } from '../../../kernel/netfilter/iptables/table.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';

/**
 * The tables of kube-proxy in userspace mode (pkg/proxy/userspace, up to Kubernetes 1.25) on a node in a fresh network namespace; none for
 * the family that it does not work for.
 */
export function kubeProxyUserspace(cluster: Cluster, node: Node, family: IpFamily): IptablesTables {
  if (family !== userspaceFamily(cluster, node)) return new Map();
  return userspaceTables(proxiedPortsOf(cluster, node), node, family);
}
