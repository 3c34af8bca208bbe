import { comment, endpointChainNames, portLine } from './port-view.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { PortView } from './port-view.ts';

const FULL_MASK = { 4: '255.255.255.255', 6: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' } as const;

/**
 * The random choice among the endpoints of a SVC or SVL chain (pkg/proxy/iptables writeServiceToEndpointRules): with affinity first the
 * remembered endpoint, then each with 1/(those left), the last always.
 */
export function balanceRules(view: PortView, endpoints: readonly ProxyEndpoint[]): readonly RuleLine[] {
  const { name, affinitySeconds } = view.port;
  const withComments = !view.settings.largeCluster;
  const lines: RuleLine[] = [];
  const chains = endpointChainNames(view, endpoints);
  const remarkOf = (index: number): string => (withComments ? comment(`${name} -> ${endpoints[index]!.text}`) : '');
  if (affinitySeconds !== null) {
    chains.forEach((chain, i) => {
      const recent = `-m recent --rcheck --seconds ${affinitySeconds} --reap ${recentList(view, chain)}`;
      lines.push(portLine(view, 'affinity', `${remarkOf(i)}${recent}-j ${chain}`));
    });
  }
  chains.forEach((chain, i) => {
    const left = chains.length - i;
    lines.push(portLine(view, 'balance', `${remarkOf(i)}${jumpOneIn(left)}${chain}`));
  });
  return lines;
}

/** The rules of one endpoint: masquerade what it sends to itself, remember the client, rewrite the destination (writeServiceToEndpointRules). */
export function endpointRules(view: PortView, endpoint: ProxyEndpoint, chain: string): readonly RuleLine[] {
  const { name, protocol, affinitySeconds } = view.port;
  const { family, hostSuffix, largeCluster } = view.settings;
  const remark = largeCluster ? '' : comment(name);
  const remember = affinitySeconds === null ? '' : `-m recent --set ${recentList(view, chain)}`;
  const destination = family === 4 ? `${endpoint.ip}:${endpoint.port}` : `[${endpoint.ip}]:${endpoint.port}`;
  return [
    portLine(view, 'hairpin-mark', `-s ${endpoint.ip}${hostSuffix} ${remark}-j KUBE-MARK-MASQ`),
    portLine(view, 'endpoint', `-p ${protocol} ${remark}${remember}-m ${protocol} -j DNAT --to-destination ${destination}`),
  ];
}

function recentList(view: PortView, chain: string): string {
  return `--name ${chain} --mask ${FULL_MASK[view.settings.family]} --rsource `;
}

const jumps: string[] = ['', '-j '];

/** A jump taken with probability 1/n, without its target. */
function jumpOneIn(n: number): string {
  jumps[n] ??= `-m statistic --mode random --probability ${probability(n)} -j `;
  return jumps[n];
}

/**
 * 1/n as iptables-save prints it: kube-proxy writes ten decimals, xt_statistic keeps 31 bits, iptables-save prints eleven decimals.
 */
export function probability(n: number): string {
  return (Math.floor(Number((1 / n).toFixed(10)) * 2 ** 31 + 0.5) / 2 ** 31).toFixed(11);
}
