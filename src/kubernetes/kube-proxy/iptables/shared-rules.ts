import { formatIp } from '../../../net/ip.ts';
import { comment, portLine, usesFirewall } from './port-view.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { Reachability } from '../../services/select-endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';
import type { PortView } from './port-view.ts';

/** The chains that all service ports add rules to, by table. */
export const SHARED_CHAINS = [
  'nat/KUBE-SERVICES',
  'nat/KUBE-NODEPORTS',
  'filter/KUBE-SERVICES',
  'filter/KUBE-EXTERNAL-SERVICES',
  'filter/KUBE-NODEPORTS',
  'filter/KUBE-PROXY-FIREWALL',
] as const;
export type SharedChain = (typeof SHARED_CHAINS)[number];

/** What one service port adds to a shared chain, in order (pkg/proxy/iptables syncProxyRules). */
export function sharedRules(chain: SharedChain, view: PortView): readonly RuleLine[] {
  switch (chain) {
    case 'nat/KUBE-SERVICES':
      return entryRules(view);
    case 'nat/KUBE-NODEPORTS':
      return nodePortRules(view);
    case 'filter/KUBE-SERVICES':
      return view.selection.hasInternal ? [] : [deadRule(view, view.port.clusterIp)];
    case 'filter/KUBE-EXTERNAL-SERVICES':
      return deadExternalRules(view);
    case 'filter/KUBE-NODEPORTS':
      return healthCheckRules(view);
    case 'filter/KUBE-PROXY-FIREWALL':
      return firewallRules(view);
  }
}

/** How many rules `sharedRules` gives for a service port, without its endpoints. */
export function sharedRuleCounts(port: ProxyServicePort, reach: Reachability): Readonly<Record<SharedChain, number>> {
  const addresses = port.externalIps.length + port.loadBalancerIps.length;
  const nodePorts = port.nodePort === 0 ? 0 : 1;
  return {
    'nat/KUBE-SERVICES': (reach.hasInternal ? 1 : 0) + (reach.hasEndpoints ? addresses : 0),
    'nat/KUBE-NODEPORTS': reach.hasEndpoints ? nodePorts : 0,
    'filter/KUBE-SERVICES': reach.hasInternal ? 0 : 1,
    'filter/KUBE-EXTERNAL-SERVICES': reach.hasExternal ? 0 : addresses + nodePorts,
    'filter/KUBE-NODEPORTS': port.healthCheckNodePort === 0 ? 0 : 1,
    'filter/KUBE-PROXY-FIREWALL': usesFirewall(port, reach) ? port.loadBalancerIps.length : 0,
  };
}

function entryRules(view: PortView): readonly RuleLine[] {
  const { port, selection } = view;
  const lines: RuleLine[] = [];
  const add = (role: ProxyRole, address: IpAddress, what: string, target: string): void => {
    lines.push(portLine(view, role, `${toPort(view, address, `${port.name} ${what}`)}-j ${target}${view.hash()}`));
  };
  if (selection.hasInternal) add('cluster-ip', port.clusterIp, 'cluster IP', port.internalLocal ? 'KUBE-SVL-' : 'KUBE-SVC-');
  if (!selection.hasEndpoints) return lines;
  for (const ip of port.externalIps) add('external-ip', ip, 'external IP', 'KUBE-EXT-');
  const balancerTarget = view.usesFirewall ? 'KUBE-FW-' : 'KUBE-EXT-';
  for (const ip of port.loadBalancerIps) add('load-balancer-ip', ip, 'loadbalancer IP', balancerTarget);
  return lines;
}

function nodePortRules(view: PortView): readonly RuleLine[] {
  const { name, protocol, nodePort } = view.port;
  if (nodePort === 0 || !view.selection.hasEndpoints) return [];
  const body = `-p ${protocol} ${comment(name)}-m ${protocol} --dport ${nodePort} -j KUBE-EXT-${view.hash()}`;
  return [portLine(view, 'node-port', body)];
}

function deadExternalRules(view: PortView): readonly RuleLine[] {
  const { port, selection } = view;
  if (selection.hasExternal) return [];
  const lines = [...port.externalIps, ...port.loadBalancerIps].map((ip) => deadRule(view, ip));
  if (port.nodePort !== 0) {
    const { role, text, target } = deadEnd(view);
    const ports = `-m addrtype --dst-type LOCAL -m ${port.protocol} --dport ${port.nodePort} `;
    lines.push(portLine(view, role, `-p ${port.protocol} ${comment(`${port.name} ${text}`)}${ports}${target}`));
  }
  return lines;
}

/** Refuses or drops what goes to an address of the service. */
function deadRule(view: PortView, address: IpAddress): RuleLine {
  const { role, text, target } = deadEnd(view);
  return portLine(view, role, toPort(view, address, `${view.port.name} ${text}`) + target);
}

/** Nothing at all to send to is refused; endpoints that the Local policy forbids are a silent drop. */
function deadEnd(view: PortView): { readonly role: ProxyRole; readonly text: string; readonly target: string } {
  if (view.selection.hasEndpoints) return { role: 'no-local-endpoints', text: 'has no local endpoints', target: '-j DROP' };
  const icmp = view.settings.family === 4 ? 'icmp' : 'icmp6';
  return { role: 'no-endpoints', text: 'has no endpoints', target: `-j REJECT --reject-with ${icmp}-port-unreachable` };
}

/** The health check server speaks TCP whatever the service speaks; each port of the service adds the rule again. */
function healthCheckRules(view: PortView): readonly RuleLine[] {
  const { name, healthCheckNodePort } = view.port;
  if (healthCheckNodePort === 0) return [];
  const body = `-p tcp ${comment(`${name} health check node port`)}-m tcp --dport ${healthCheckNodePort} -j ACCEPT`;
  return [portLine(view, 'health-check', body)];
}

function firewallRules(view: PortView): readonly RuleLine[] {
  if (!view.usesFirewall) return [];
  const text = `${view.port.name} traffic not accepted by KUBE-FW-${view.hash()}`;
  return view.port.loadBalancerIps.map((ip) => portLine(view, 'source-range', `${toPort(view, ip, text)}-j DROP`));
}

function toPort(view: PortView, address: IpAddress, text: string): string {
  const { protocol, port } = view.port;
  return `-d ${formatIp(address)}${view.settings.hostSuffix} -p ${protocol} ${comment(text)}-m ${protocol} --dport ${port} `;
}
