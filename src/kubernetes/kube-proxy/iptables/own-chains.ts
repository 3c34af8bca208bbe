import { cidrContains, formatCidr } from '../../../net/cidr.ts';
import { formatIp } from '../../../net/ip.ts';
import { balanceRules, endpointRules } from './endpoint-rules.ts';
import { comment } from './port-view.ts';
import type { RuleLine } from '../../../kernel/netfilter/iptables/rule.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { PortView } from './port-view.ts';

/** Chains of nat that belong to one service port; each is made when asked for. */
export interface OwnChain {
  readonly name: string;
  readonly lines: () => readonly RuleLine[];
}

/** The chains that exist for a service port on this node: EXT, FW, SVC, SVL, and a SEP for each endpoint that can be reached. */
export function ownChains(view: PortView): readonly OwnChain[] {
  return [...serviceChains(view), ...endpointChains(view)];
}

/** All but the chains of endpoints: cheap to name, one hash. */
export function serviceChains(view: PortView): readonly OwnChain[] {
  const { port, selection, hash } = view;
  const chains: OwnChain[] = [];
  if (view.usesExternalChain) chains.push({ name: `KUBE-EXT-${hash}`, lines: () => externalRules(view) });
  if (view.usesFirewall) chains.push({ name: `KUBE-FW-${hash}`, lines: () => sourceRangeRules(view) });
  if (selection.cluster.length > 0) {
    chains.push({ name: `KUBE-SVC-${hash}`, lines: () => policyRules(view, !port.internalLocal, selection.cluster) });
  }
  if (selection.local.length > 0) {
    chains.push({ name: `KUBE-SVL-${hash}`, lines: () => policyRules(view, port.internalLocal, selection.local) });
  }
  return chains;
}

/** A chain for each endpoint that some traffic of this node can reach. */
export function endpointChains(view: PortView): readonly OwnChain[] {
  return view.selection.reachable.map((endpoint) => ({
    name: view.endpointChain(endpoint),
    lines: () => endpointRules(view, endpoint),
  }));
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
  return view.line('masquerade-mark', match + rest);
}

/** EXT: where all traffic to external addresses and node ports comes by. */
function externalRules(view: PortView): readonly RuleLine[] {
  const { port, hash } = view;
  const { detector } = view.settings;
  const lines: RuleLine[] = [];
  if (!port.externalLocal) {
    const text = `masquerade traffic for ${port.name} external destinations`;
    lines.push(view.line('masquerade-mark', `${comment(text)}-j KUBE-MARK-MASQ`));
  } else {
    if (detector !== null) {
      const text = comment(`pod traffic for ${port.name} external destinations`);
      lines.push(view.line('pod-short-circuit', `${detector.localSource}${detector.localDevice}${text}-j KUBE-SVC-${hash}`));
    }
    const fromNode = (verb: string): string =>
      `${comment(`${verb} LOCAL traffic for ${port.name} external destinations`)}-m addrtype --src-type LOCAL `;
    lines.push(
      view.line('masquerade-mark', `${fromNode('masquerade')}-j KUBE-MARK-MASQ`),
      view.line('local-short-circuit', `${fromNode('route')}-j KUBE-SVC-${hash}`),
    );
  }
  if (view.selection.hasExternal) {
    lines.push(view.line('external-policy', `-j ${port.externalLocal ? 'KUBE-SVL' : 'KUBE-SVC'}-${hash}`));
  }
  return lines;
}

/** FW: loadBalancerSourceRanges. What falls through is not translated and dropped by KUBE-PROXY-FIREWALL in filter. */
function sourceRangeRules(view: PortView): readonly RuleLine[] {
  const { port, hash, settings } = view;
  const allow = (source: string): RuleLine =>
    view.line('source-range-allow', `${source}${comment(`${port.name} loadbalancer IP`)}-j KUBE-EXT-${hash}`);
  const lines = port.sourceRanges.map((range) => allow(range.length === 0 ? '' : `-s ${formatCidr(range)} `));
  if (port.sourceRanges.some((range) => cidrContains(range, settings.nodeIp))) {
    // A node that may use the balancer reaches it with the balancer's own address as source when the address is on the node itself.
    for (const ip of port.loadBalancerIps) lines.push(allow(`-s ${formatIp(ip)}${settings.hostSuffix} `));
  }
  const end = `-m comment --comment "other traffic to ${port.name} will be dropped by KUBE-PROXY-FIREWALL"`;
  return [...lines, view.line('source-range-end', end)];
}
