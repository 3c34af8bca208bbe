import { ipv4, ipv6, isIpv4 } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import { canonicalName } from '../../kubernetes/dns/names.ts';
import { nodeResolvConf, searchList, UNKNOWN_RESOLV_CONF } from '../../kubernetes/dns/resolv-conf.ts';
import type { ResolvConf } from '../../kubernetes/dns/resolv-conf.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Source } from '../refs/source.ts';

/**
 * Whom a client asks for names: a pod what kubelet wrote for it, a node's processes its own file; of hosts outside and of Docker's containers
 * nothing is known.
 */
export function resolvConfOf(cluster: Cluster, { pod, label }: Source): ResolvConf {
  if (cluster.cni.plugin === 'docker') return UNKNOWN_RESOLV_CONF;
  if (pod !== null) return searchList(pod, cluster);
  const node = cluster.nodes.find(({ name }) => `node/${name}` === label);
  return node ? nodeResolvConf(node) : UNKNOWN_RESOLV_CONF;
}

/** What /etc/hosts says without anybody's doing: localhost, and in a pod its own name, which kubelet writes there. Null: nothing. */
export function addressInHostsFile(cluster: Cluster, { pod, label, addresses }: Source, name: string): IpAddress | null {
  const asked = canonicalName(name);
  const [own] = addresses;
  if (asked === 'localhost') return own !== undefined && !isIpv4(own) ? ipv6(1n) : ipv4(0x7f000001);
  if (pod !== null && !pod.hostNetwork) return asked === (pod.dns?.hostname ?? pod.name) ? (own ?? null) : null;
  return cluster.nodes.some((node) => node.name === asked && `node/${asked}` === label) ? (own ?? null) : null;
}
