import { isIpv4 } from '../net/ip.ts';
import { addRules } from './add-rules.ts';
import { podRange } from './cluster-index.ts';
import { kubeProxyIptables } from './kube-proxy/iptables/index.ts';
import { portmapRules } from './portmap.ts';
import type { IpAddress } from '../net/ip.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { ClusterIndex } from './cluster-index.ts';
import type { CniMode } from './cni/mode.ts';
import type { Node, ProxyMode } from './model/cluster.ts';

/** Whose rules: kube-proxy's alone, those of the CNI plugins and their daemon alone, or all of a node. */
export type RuleComponent = 'kube-proxy' | 'cni' | 'all';

/**
 * The iptables rules of a node in the order in which they come to be: kube-proxy's, behind them the CNI daemon's, then portmap's. CNI
 * rules are IPv4 only. A proxy mode other than iptables gives no rules of kube-proxy here.
 */
export function nodeRules(index: ClusterIndex, cni: CniMode, node: Node, component: RuleComponent, family: 4 | 6): IptablesTables {
  const base = component === 'cni' ? NO_TABLES : proxyTables(index, cni, node, family);
  return component === 'kube-proxy' || family === 6 ? base : addRules(base, cniRules(index, cni, node));
}

/** Is there a compiler for this mode's rules? `none` needs none. */
export function isProxyModeModelled(mode: ProxyMode): boolean {
  return mode === 'iptables' || mode === 'none';
}

const NO_TABLES: IptablesTables = new Map();

function proxyTables(index: ClusterIndex, cni: CniMode, node: Node, family: 4 | 6): IptablesTables {
  if (index.cluster.kubeProxy.mode !== 'iptables') return NO_TABLES;
  return kubeProxyIptables(index.cluster, node, family, deviceAddresses(cni, node));
}

function cniRules(index: ClusterIndex, cni: CniMode, node: Node): ReturnType<typeof portmapRules> {
  const range = podRange(node);
  const portmap = cni.portmapBridge === null || range === null ? [] : portmapRules(index.podsOf(node.name), range);
  return [...cni.rules(node), ...portmap];
}

/** Addresses of the plugin's own devices: kube-proxy may have to open node ports on them. */
function deviceAddresses(cni: CniMode, node: Node): readonly IpAddress[] {
  return cni.node(node).devices.flatMap(({ addresses }) => addresses.map(({ address }) => address)).filter(isIpv4);
}
