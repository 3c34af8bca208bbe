import { interfaceAddressesOf } from '../../services/node-port-addresses.ts';
import { proxiedPortsOf, userspaceFamily } from './portals.ts';
import type { Listener } from '../../../kernel/socket/listener.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { ProxiedPort } from './portals.ts';

/**
 * kube-proxy's sockets on a node in userspace mode: one for each service port, and those by which it holds node ports, and ports of external
 * addresses that the node itself has, so that nobody else takes them (claimNodePort). Nobody reads from the latter.
 */
export function userspaceListeners(cluster: Cluster, node: Node): readonly Listener[] {
  const family = userspaceFamily(cluster, node);
  const own = interfaceAddressesOf(node, family);
  return proxiedPortsOf(cluster, node).flatMap((port) => {
    const { protocol, proxyPort, portals, nodePort } = port;
    const listener = (address: IpAddress | null, number: number, role: string): Listener => ({
      protocol,
      address,
      port: number,
      owner: `node/${node.name}`,
      process: 'kube-proxy',
      origin: { object: serviceOf(port), by: 'kube-proxy', role },
    });
    return [
      listener(null, proxyPort, 'proxy-port'),
      ...portals
        .filter(({ address }) => own.includes(address))
        .map(({ address }) => listener(address, port.port.port, 'held-port')),
      ...(nodePort === 0 ? [] : [listener(null, nodePort, 'held-port')]),
    ];
  });
}

function serviceOf({ port: { service } }: ProxiedPort): string {
  return `Service ${service.namespace}/${service.name}`;
}
