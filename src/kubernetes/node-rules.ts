import { addRules } from './add-rules.ts';
import { kubeProxyIptables } from './kube-proxy/iptables/index.ts';
import { kubeProxyIpvs } from './kube-proxy/ipvs/index.ts';
import { kubeProxyNftables } from './kube-proxy/nftables/index.ts';
import { kubeProxyUserspace } from './kube-proxy/userspace/index.ts';
import { portmapRules } from './portmap.ts';
import { proxyFamilies } from './services/proxy-families.ts';
import type { IpAddress, IpFamily } from '../net/ip.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { NftRuleset } from '../kernel/netfilter/nftables/ruleset.ts';
import type { ClusterIndex } from './cluster-index.ts';
import type { CniMode } from './cni/mode.ts';
import type { IpvsState } from './kube-proxy/ipvs/index.ts';
import type { Node } from './model/cluster.ts';

/** Whose rules: kube-proxy's alone, those of the CNI plugins and their daemon alone, or all of a node. */
export type RuleComponent = 'kube-proxy' | 'cni' | 'all';

/**
 * The rules of iptables (4) or ip6tables (6) of a node in the order in which they come to be: kube-proxy's, behind them the CNI daemon's,
 * then portmap's. Proxy mode nftables has no iptables rules.
 */
export function nodeRules(
  index: ClusterIndex,
  cni: CniMode,
  node: Node,
  component: RuleComponent,
  family: 4 | 6,
): IptablesTables {
  const base = component === 'cni' ? NO_TABLES : proxyTables(index, cni, node, component, family);
  return component === 'kube-proxy' ? base : addRules(base, cniRules(index, cni, node, family), family);
}

const NO_TABLES: IptablesTables = new Map();

/** What kube-proxy in IPVS mode makes, a family each; nothing in other modes. */
export function nodeIpvs(index: ClusterIndex, cni: CniMode, node: Node, component: RuleComponent): readonly IpvsState[] {
  if (component === 'cni' || index.cluster.kubeProxy.mode !== 'ipvs') return [];
  return proxyFamilies(index.cluster, node).map((family) =>
    kubeProxyIpvs(index.cluster, node, family, deviceAddresses(cni, node, component)),
  );
}

/** The nftables tables of a node: kube-proxy's in nftables mode. */
export function nodeNftables(index: ClusterIndex, cni: CniMode, node: Node, component: RuleComponent): NftRuleset {
  if (component === 'cni' || index.cluster.kubeProxy.mode !== 'nftables') return [];
  return kubeProxyNftables(index.cluster, node, proxyFamilies(index.cluster, node), deviceAddresses(cni, node, component));
}

function proxyTables(index: ClusterIndex, cni: CniMode, node: Node, component: RuleComponent, family: 4 | 6): IptablesTables {
  const { cluster } = index;
  switch (cluster.kubeProxy.mode) {
    case 'iptables':
      return kubeProxyIptables(cluster, node, family, deviceAddresses(cni, node, component));
    case 'ipvs':
      return kubeProxyIpvs(cluster, node, family, deviceAddresses(cni, node, component)).iptables;
    case 'userspace':
      return kubeProxyUserspace(cluster, node, family);
    case 'nftables':
    case 'none':
      return NO_TABLES;
  }
}

function cniRules(index: ClusterIndex, cni: CniMode, node: Node, family: IpFamily): ReturnType<typeof portmapRules> {
  const subnet = cni.portmap?.subnet(node, family) ?? null;
  const portmap =
    cni.portmap === null || subnet === null ? [] : portmapRules(index.podsOf(node.name), subnet, cni.portmap.network);
  return [...cni.rules(node, family), ...portmap];
}

/**
 * Addresses of the plugin's own devices: kube-proxy may have to open node ports on them. kube-proxy alone is compiled as on a node
 * without the plugin.
 */
function deviceAddresses(cni: CniMode, node: Node, component: RuleComponent): readonly IpAddress[] {
  if (component === 'kube-proxy') return [];
  return cni.node(node).devices.flatMap(({ addresses }) => addresses.map(({ address }) => address));
}
