import { compileNodeIptables } from '../kubernetes/compile.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';

/** Whose rules: kube-proxy's, the CNI's (its daemon, the bridge and portmap plugins), or all of a node. */
export type RulesComponent = 'kube-proxy' | 'cni' | 'all';

export interface RulesOptions {
  readonly component: RulesComponent;
  readonly family: 4 | 6;
}

export type RulesResult =
  | { readonly ok: true; readonly tables: IptablesTables }
  | { readonly ok: false; readonly message: string };

/** The iptables rules that a component makes on a node; neither a dump nor commands of the scenario count. */
export function nodeRules(cluster: Cluster, nodeName: string, { component, family }: RulesOptions): RulesResult {
  const node = cluster.nodes.find(({ name }) => name === nodeName);
  if (node === undefined) {
    const names = cluster.nodes.map(({ name }) => name).join(', ');
    return { ok: false, message: `there is no node ${JSON.stringify(nodeName)}${names === '' ? '' : `; there are ${names}`}` };
  }
  return { ok: true, tables: compileNodeIptables(cluster, node, component, family) };
}
