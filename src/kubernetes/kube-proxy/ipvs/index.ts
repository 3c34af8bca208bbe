import { serviceMapOf } from '../../services/service-map.ts';
import { proxySets } from './ipsets.ts';
import { portViewOf } from './port-view.ts';
import { ipvsTables } from './rules.ts';
import { ipvsSettingsOf } from './settings.ts';
import { virtualServersOf } from './virtual-servers.ts';
import type { IpSet } from '../../../kernel/ipset/ipset.ts';
import type { IpvsTimeouts } from '../../../kernel/ipvs/tcp-state.ts';
import type { VirtualServer } from '../../../kernel/ipvs/virtual-server.ts';
import type { IptablesTables } from '../../../kernel/netfilter/iptables/table.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { PortView } from './port-view.ts';

/** Everything that kube-proxy in IPVS mode makes on a node for one family. */
export interface IpvsState {
  readonly virtualServers: readonly VirtualServer[];
  /** Sorted by name. */
  readonly ipsets: readonly IpSet[];
  /** Addresses of the dummy device kube-ipvs0, each as a host prefix: they make service addresses local to the node. */
  readonly boundAddresses: readonly IpAddress[];
  readonly iptables: IptablesTables;
}

/** The dummy device that has the addresses of services. */
export const IPVS_DEVICE = 'kube-ipvs0';

/**
 * kube-proxy in IPVS mode (pkg/proxy/ipvs) in a fresh network namespace.
 * @param deviceAddresses addresses of devices the model does not list (a CNI's bridge or tunnel): node ports answer there too
 */
export function kubeProxyIpvs(
  cluster: Cluster,
  node: Node,
  family: IpFamily,
  deviceAddresses: readonly IpAddress[] = [],
): IpvsState {
  const settings = ipvsSettingsOf(cluster, node, family, deviceAddresses);
  const services = serviceMapOf(cluster, family);
  const views = services.ports.map((port, index) => portViewOf(port, services.endpoints(index), settings));
  const boundAddresses = [...new Set(views.flatMap(addressesToBind))];
  const sets = proxySets(family, views, settings.guardsAddresses ? boundAddresses : null);
  return {
    virtualServers: views.flatMap(virtualServersOf),
    ipsets: sets.all.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    boundAddresses,
    iptables: ipvsTables(settings, sets, views),
  };
}

/** The sysctls that it sets, by name (pkg/proxy/ipvs NewProxier). */
export function kubeProxyIpvsSysctls(cluster: Cluster): Readonly<Record<string, string>> {
  return {
    'net.ipv4.vs.conntrack': '1',
    'net.ipv4.vs.expire_nodest_conn': '1',
    'net.ipv4.vs.expire_quiescent_template': '1',
    ...(cluster.kubeProxy.ipvs.strictArp && { 'net.ipv4.conf.all.arp_ignore': '1', 'net.ipv4.conf.all.arp_announce': '2' }),
  };
}

/** Times after which connections are forgotten (NewProxier: ipvs.ConfigureTimeouts). */
export function ipvsTimeoutsOf({ kubeProxy }: Cluster): IpvsTimeouts {
  const { tcpTimeout, tcpFinTimeout, udpTimeout } = kubeProxy.ipvs;
  return {
    ...(tcpTimeout !== undefined && { tcp: tcpTimeout }),
    ...(tcpFinTimeout !== undefined && { tcpFin: tcpFinTimeout }),
    ...(udpTimeout !== undefined && { udp: udpTimeout }),
  };
}

/** The cluster IP always, others unless a device has them already. */
function addressesToBind({ port, settings }: PortView): readonly IpAddress[] {
  const others = [...port.externalIps, ...port.loadBalancerIps].filter((ip) => !settings.interfaceAddresses.includes(ip));
  return [port.clusterIp, ...others];
}
