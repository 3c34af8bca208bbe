import { formatEndpoint, formatIp, isIpv4 } from '../../../net/ip.ts';
import { nodeIpOf } from '../../services/node-port-addresses.ts';
import { chainOf, tableOf } from '../../../kernel/netfilter/iptables/chain.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { Chain, IptablesTables, TableName } from '../../../kernel/netfilter/iptables/table.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Node } from '../../model/cluster.ts';
import type { ProxyRole } from '../../services/proxy-role.ts';
import type { Portal, ProxiedPort } from './portals.ts';

/**
 * The rules of kube-proxy in userspace mode in a fresh table, as one that listens on all addresses (bindAddress 0.0.0.0, its default)
 * writes them: what goes to a service is sent to kube-proxy's own port (pkg/proxy/userspace iptablesInit, openOnePortal, openNodePort).
 */
export function userspaceTables(ports: readonly ProxiedPort[], node: Node, family: IpFamily): IptablesTables {
  const host = nodeIpOf(node, family);
  const chains = (table: TableName, all: readonly ChainLines[]): readonly Chain[] =>
    all.map(([name, lines]) => chainOf(table, name, name.startsWith('KUBE-') ? null : 'ACCEPT', lines, family));
  return new Map([
    ['filter', tableOf('filter', chains('filter', filterChains(ports)))],
    ['nat', tableOf('nat', chains('nat', natChains(ports, host)))],
  ]);
}

type ChainLines = readonly [name: string, lines: readonly RuleLine[]];

function jump(match: string, comment: string, chain: string): RuleLine {
  return {
    body: `${match}-m comment --comment "${comment}" -j ${chain}`,
    origin: { object: null, by: 'kube-proxy', role: 'jump' satisfies ProxyRole },
  };
}

const PORTALS = 'handle ClusterIPs; NOTE: this must be before the NodePort rules';
const NODE_PORTS = 'handle service NodePorts; NOTE: this must be the last rule in the chain';
const TO_NODE = '-m addrtype --dst-type LOCAL ';

function natChains(ports: readonly ProxiedPort[], host: IpAddress): readonly ChainLines[] {
  const withNodePort = ports.filter(({ nodePort }) => nodePort !== 0);
  return [
    ['PREROUTING', [jump('', PORTALS, 'KUBE-PORTALS-CONTAINER'), jump(TO_NODE, NODE_PORTS, 'KUBE-NODEPORT-CONTAINER')]],
    ['INPUT', []],
    ['OUTPUT', [jump('', PORTALS, 'KUBE-PORTALS-HOST'), jump(TO_NODE, NODE_PORTS, 'KUBE-NODEPORT-HOST')]],
    ['POSTROUTING', []],
    ['KUBE-PORTALS-CONTAINER', ports.flatMap((port) => port.portals.flatMap((portal) => fromContainers(port, portal)))],
    ['KUBE-PORTALS-HOST', ports.flatMap((port) => port.portals.map((portal) => fromHost(port, portal, host)))],
    [
      'KUBE-NODEPORT-CONTAINER',
      withNodePort.map((port) => line(port, 'node-port', `${match(port, port.nodePort)}${redirect(port)}`)),
    ],
    [
      'KUBE-NODEPORT-HOST',
      withNodePort.map((port) => line(port, 'node-port', `${match(port, port.nodePort)}${translate(port, host)}`)),
    ],
  ];
}

function filterChains(ports: readonly ProxiedPort[]): readonly ChainLines[] {
  return [
    ['INPUT', [jump('', 'Ensure that non-local NodePort traffic can flow', 'KUBE-NODEPORT-NON-LOCAL')]],
    ['FORWARD', []],
    ['OUTPUT', []],
    [
      'KUBE-NODEPORT-NON-LOCAL',
      // It is behind nat: the packet is for the proxy's port already.
      ports
        .filter(({ nodePort }) => nodePort !== 0)
        .map((port) => line(port, 'proxy-port', `${match(port, port.proxyPort)}-m state --state NEW -j ACCEPT`)),
    ],
  ];
}

/** An external IP is proxied where the packet does not come from a pod of this node, or where the node has the address. */
function fromContainers(port: ProxiedPort, portal: Portal): readonly RuleLine[] {
  const to = `${destination(portal)}${match(port, port.port.port)}`;
  if (portal.role !== 'external-ip') return [line(port, portal.role, `${to}${redirect(port)}`)];
  return [
    line(port, portal.role, `${to}-m physdev ! --physdev-is-in ${redirect(port)}`),
    line(port, portal.role, `${to}${TO_NODE}${redirect(port)}`),
  ];
}

function fromHost(port: ProxiedPort, portal: Portal, host: IpAddress): RuleLine {
  const local = portal.role === 'external-ip' ? TO_NODE : '';
  return line(port, portal.role, `${destination(portal)}${match(port, port.port.port)}${local}${translate(port, host)}`);
}

function line({ port: { service } }: ProxiedPort, role: ProxyRole, body: string): RuleLine {
  return { body, origin: { object: `Service ${service.namespace}/${service.name}`, by: 'kube-proxy', role } };
}

function destination({ address }: Portal): string {
  return `-d ${formatIp(address)}/${isIpv4(address) ? 32 : 128} `;
}

function match({ port, protocol }: ProxiedPort, number: number): string {
  return `-p ${protocol} -m comment --comment "${port.name}" -m ${protocol} --dport ${number} `;
}

/** To the address of the device the packet came in by: the answer then comes from where the client's packet went. */
function redirect({ proxyPort }: ProxiedPort): string {
  return `-j REDIRECT --to-ports ${proxyPort}`;
}

/** REDIRECT of the node's own packets would lead to loopback, so they go to the node's address. */
function translate({ proxyPort }: ProxiedPort, host: IpAddress): string {
  return `-j DNAT --to-destination ${formatEndpoint(host, proxyPort)}`;
}
