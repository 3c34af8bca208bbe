import { portElement } from './port-view.ts';
import { addressKey } from './settings.ts';
import type { NftElement } from '../../../kernel/netfilter/nftables/ruleset.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { PortView } from './port-view.ts';

/** The maps that all service ports put elements into. */
export type SharedMap = 'no-endpoint-services' | 'no-endpoint-nodeports' | 'firewall-ips' | 'service-ips' | 'service-nodeports';

/** What one service port puts into a map (pkg/proxy/nftables syncProxyRules). */
export function sharedElements(map: SharedMap, view: PortView): readonly NftElement[] {
  switch (map) {
    case 'service-ips':
      return serviceIps(view);
    case 'service-nodeports':
      return view.port.nodePort !== 0 && view.selection.hasEndpoints
        ? [portElement(view, 'node-port', nodePortKey(view), `goto external-${view.base}`, null)]
        : [];
    case 'no-endpoint-services':
      return deadAddresses(view);
    case 'no-endpoint-nodeports':
      return view.port.nodePort !== 0 && !view.selection.hasExternal ? [deadElement(view, nodePortKey(view))] : [];
    case 'firewall-ips':
      return view.usesFirewall ? view.port.loadBalancerIps.map((ip) => firewallElement(view, ip)) : [];
  }
}

function serviceIps(view: PortView): readonly NftElement[] {
  const { port, selection } = view;
  const elements: NftElement[] = [];
  const add = (role: ProxyRole, address: IpAddress, prefix: string): void => {
    elements.push(portElement(view, role, keyAt(view, address), `goto ${prefix}${view.base}`, null));
  };
  if (selection.hasInternal) add('cluster-ip', port.clusterIp, port.internalLocal ? 'local-' : 'service-');
  if (!selection.hasEndpoints) return elements;
  for (const ip of port.externalIps) add('external-ip', ip, 'external-');
  for (const ip of port.loadBalancerIps) add('load-balancer-ip', ip, 'external-');
  return elements;
}

function deadAddresses(view: PortView): readonly NftElement[] {
  const { port, selection } = view;
  const addresses = [
    ...(selection.hasInternal ? [] : [port.clusterIp]),
    ...(selection.hasExternal ? [] : [...port.externalIps, ...port.loadBalancerIps]),
  ];
  return addresses.map((address) => deadElement(view, keyAt(view, address)));
}

/** Nothing at all to send to is refused; endpoints that the Local policy forbids are a silent drop. */
function deadElement(view: PortView, key: string): NftElement {
  const { hasEndpoints } = view.selection;
  const role: ProxyRole = hasEndpoints ? 'no-local-endpoints' : 'no-endpoints';
  return portElement(view, role, key, hasEndpoints ? 'drop' : 'goto reject-chain', view.port.name);
}

function firewallElement(view: PortView, ip: IpAddress): NftElement {
  const comment = view.settings.generation === 'alpha' ? view.port.name : null;
  return portElement(view, 'load-balancer-ip', keyAt(view, ip), `goto firewall-${view.base}`, comment);
}

function keyAt({ port }: PortView, address: IpAddress): string {
  return addressKey(address, port.protocol, port.port);
}

function nodePortKey({ port }: PortView): string {
  return `${port.protocol} . ${port.nodePort}`;
}
