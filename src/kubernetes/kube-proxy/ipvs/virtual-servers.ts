import { portOrigin } from './port-view.ts';
import type { RealServer, VirtualServer } from '../../../kernel/ipvs/virtual-server.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { PortView } from './port-view.ts';

/** The virtual servers of one service port: one for each address at which it can be reached (pkg/proxy/ipvs syncProxyRules). */
export function virtualServersOf(view: PortView): readonly VirtualServer[] {
  const { port, settings } = view;
  const internal = realServers(view, port.internalLocal);
  const external = realServers(view, port.externalLocal);
  const server = (role: ProxyRole, address: IpAddress, number: number, real: readonly RealServer[]): VirtualServer => ({
    protocol: port.protocol,
    address,
    port: number,
    scheduler: settings.scheduler,
    schedulerFlags: settings.scheduler === 'mh' ? ['mh-port'] : [],
    persistence: port.affinitySeconds,
    realServers: real,
    origin: portOrigin(view, role),
  });
  return [
    server('cluster-ip', port.clusterIp, port.port, internal),
    ...port.externalIps.map((address) => server('external-ip', address, port.port, external)),
    ...port.loadBalancerIps.map((address) => server('load-balancer-ip', address, port.port, external)),
    ...(port.nodePort === 0 ? [] : settings.nodePortIps.map((address) => server('node-port', address, port.nodePort, external))),
  ];
}

/** The Local policy takes this node's endpoints, but without one all of them: it does not drop, unlike in iptables mode (syncEndpoint). */
function realServers({ selection }: PortView, isLocal: boolean): readonly RealServer[] {
  const endpoints = isLocal && selection.local.length > 0 ? selection.local : selection.cluster;
  return endpoints.map(realServer);
}

function realServer({ address, port }: ProxyEndpoint): RealServer {
  return { address, port, forwarding: 'masquerade', weight: 1 };
}
