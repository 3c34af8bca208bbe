import { compileNodeIptables } from '../kubernetes/compile.ts';
import { found, refused } from './refs/ref.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Cluster, Node } from '../kubernetes/model/cluster.ts';
import type { Result } from './refs/ref.ts';

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
  const node = nodeNamed(cluster, nodeName);
  return node.ok ? { ok: true, tables: compileNodeIptables(cluster, node.value, component, family) } : node;
}

/** The node of that name ("node-1", or as a reference: "node/node-1"), or a message that says which ones there are. */
export function nodeNamed(cluster: Cluster, name: string): Result<Node> {
  const bare = name.replace(/^(node|nodes|no)\//, '');
  const node = cluster.nodes.find((candidate) => candidate.name === bare);
  if (node !== undefined) return found(node);
  const names = cluster.nodes.map((candidate) => candidate.name).join(', ');
  return refused(`there is no node ${JSON.stringify(name)}${names === '' ? '' : `; there are ${names}`}`);
}
