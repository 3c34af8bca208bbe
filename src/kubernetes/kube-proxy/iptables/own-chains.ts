import { cidrContains, formatCidr } from '../../../net/cidr.ts';
import { formatIp } from '../../../net/ip.ts';
import { balanceRules } from './endpoint-rules.ts';
import { comment, portLine } from './port-view.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { PortView } from './port-view.ts';

/**
 * Names of the chains of nat that belong to a service port itself: EXT, FW, SVC, SVL, as far as they exist on this node. Beside them there
 * is one for each endpoint that some traffic of the node can reach (`view.reachableChains()`).
 */
export function serviceChainNames(view: PortView): readonly string[] {
  const { selection } = view;
  const hash = view.hash();
  const names: string[] = [];
  if (view.usesExternalChain) names.push(`KUBE-EXT-${hash}`);
  if (view.usesFirewall) names.push(`KUBE-FW-${hash}`);
  if (selection.cluster.length > 0) names.push(`KUBE-SVC-${hash}`);
  if (selection.local.length > 0) names.push(`KUBE-SVL-${hash}`);
  return names;
}

/** The rules of one of those chains. */
export function serviceChainRules(view: PortView, name: string): readonly RuleLine[] {
  const { port, selection } = view;
  switch (name.slice(0, 9)) {
    case 'KUBE-EXT-':
      return externalRules(view);
    case 'KUBE-SVC-':
      return policyRules(view, !port.internalLocal, selection.cluster);
    case 'KUBE-SVL-':
      return policyRules(view, port.internalLocal, selection.local);
    default:
      return sourceRangeRules(view);
  }
}

/** SVC or SVL: what the cluster IP leads to also marks traffic from outside the cluster for masquerading, so that answers come back this way. */
function policyRules(view: PortView, isInternal: boolean, endpoints: readonly ProxyEndpoint[]): readonly RuleLine[] {
  const rules = balanceRules(view, endpoints);
  const mark = isInternal ? internalMarkRule(view) : null;
  return mark === null ? rules : [mark, ...rules];
}

function internalMarkRule(view: PortView): RuleLine | null {
  const { port, settings } = view;
  const { detector, masqueradeAll, hostSuffix } = settings;
  if (!view.selection.hasInternal || (detector === null && !masqueradeAll)) return null;
  const source = detector === null || masqueradeAll ? '' : detector.otherSource;
  const device = detector === null || masqueradeAll ? '' : detector.otherDevice;
  const match = `${source}-d ${formatIp(port.clusterIp)}${hostSuffix} ${device}-p ${port.protocol} `;
  const rest = `${comment(`${port.name} cluster IP`)}-m ${port.protocol} --dport ${port.port} -j KUBE-MARK-MASQ`;
  return portLine(view, 'masquerade-mark', match + rest);
}

/** EXT: where all traffic to external addresses and node ports comes by. */
function externalRules(view: PortView): readonly RuleLine[] {
  const { port } = view;
  const hash = view.hash();
  const { detector } = view.settings;
  const lines: RuleLine[] = [];
  if (!port.externalLocal) {
    const text = `masquerade traffic for ${port.name} external destinations`;
    lines.push(portLine(view, 'masquerade-mark', `${comment(text)}-j KUBE-MARK-MASQ`));
  } else {
    if (detector !== null) {
      const text = comment(`pod traffic for ${port.name} external destinations`);
      lines.push(portLine(view, 'pod-short-circuit', `${detector.localSource}${detector.localDevice}${text}-j KUBE-SVC-${hash}`));
    }
    const fromNode = (verb: string): string =>
      `${comment(`${verb} LOCAL traffic for ${port.name} external destinations`)}-m addrtype --src-type LOCAL `;
    lines.push(
      portLine(view, 'masquerade-mark', `${fromNode('masquerade')}-j KUBE-MARK-MASQ`),
      portLine(view, 'local-short-circuit', `${fromNode('route')}-j KUBE-SVC-${hash}`),
    );
  }
  if (view.selection.hasExternal) {
    lines.push(portLine(view, 'external-policy', `-j ${port.externalLocal ? 'KUBE-SVL' : 'KUBE-SVC'}-${hash}`));
  }
  return lines;
}

/** FW: loadBalancerSourceRanges. What falls through is not translated and dropped by KUBE-PROXY-FIREWALL in filter. */
function sourceRangeRules(view: PortView): readonly RuleLine[] {
  const { port, settings } = view;
  const hash = view.hash();
  const allow = (source: string): RuleLine =>
    portLine(view, 'source-range-allow', `${source}${comment(`${port.name} loadbalancer IP`)}-j KUBE-EXT-${hash}`);
  const lines = port.sourceRanges.map((range) => allow(range.length === 0 ? '' : `-s ${formatCidr(range)} `));
  if (port.sourceRanges.some((range) => cidrContains(range, settings.nodeIp))) {
    // A node that may use the balancer reaches it with the balancer's own address as source when the address is on the node itself.
    for (const ip of port.loadBalancerIps) lines.push(allow(`-s ${formatIp(ip)}${settings.hostSuffix} `));
  }
  const end = `-m comment --comment "other traffic to ${port.name} will be dropped by KUBE-PROXY-FIREWALL"`;
  return [...lines, portLine(view, 'source-range-end', end)];
}
