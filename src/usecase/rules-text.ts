import { parseSave } from '../kernel/netfilter/iptables/save-format/parse.ts';
import { printSave } from '../kernel/netfilter/iptables/save-format/print.ts';
import { isProxyModeModelled } from '../kubernetes/node-rules.ts';
import { diffRules } from './rules-diff/index.ts';
import { found, refused } from './refs/ref.ts';
import { nodeRules } from './rules.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Cluster, ProxyMode } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { RulesDiff } from '../trace/rules-diff.ts';
import type { Result } from './refs/ref.ts';
import type { RulesOptions } from './rules.ts';

export interface NodeRulesQuestion extends RulesOptions {
  readonly node: string;
  /** In place of the cluster's own. */
  readonly proxyMode?: ProxyMode;
}

/** What `iptables-save` (`ip6tables-save`) would print on a node that has just these rules. */
export function rulesText(cluster: Cluster, question: NodeRulesQuestion): Result<string> {
  const rules = rulesOf(withMode(cluster, question.proxyMode), question);
  return rules.ok ? found(printSave(rules.value, question.family)) : rules;
}

/** How a dump of the node differs from what it should have. `diagnostics`: lines of the dump that could not be read. */
export function compareWithDump(
  cluster: Cluster,
  question: NodeRulesQuestion,
  dump: { readonly name: string; readonly text: string },
): Result<{ readonly diff: RulesDiff; readonly diagnostics: readonly Diagnostic[] }> {
  const changed = withMode(cluster, question.proxyMode);
  const rules = rulesOf(changed, question);
  if (!rules.ok) return rules;
  const { node, family, component } = question;
  const saved = parseSave(dump.text, dump.name);
  const actual = family === 4 ? saved.tables : saved.tables6.size > 0 ? saved.tables6 : saved.tables;
  if (actual.size === 0)
    return refused(`${dump.name}: no table of ${family === 4 ? 'iptables-save' : 'ip6tables-save'} in this file`);
  const diagnostics = saved.diagnostics.map(({ line, message }) => ({
    severity: 'warning' as const,
    code: 'dump',
    message,
    position: { file: dump.name, line, column: 1 },
  }));
  return found({ diff: diffRules({ cluster: changed, node, family, component, expected: rules.value, actual }), diagnostics });
}

function withMode(cluster: Cluster, mode: ProxyMode | undefined): Cluster {
  return mode === undefined ? cluster : { ...cluster, kubeProxy: { ...cluster.kubeProxy, mode } };
}

/** The rules asked for; refused where kube-proxy's mode has no compiler, since no rules would be a wrong answer. */
function rulesOf(cluster: Cluster, { node, component, family }: NodeRulesQuestion): Result<IptablesTables> {
  const { mode } = cluster.kubeProxy;
  if (component !== 'cni' && !isProxyModeModelled(mode)) return refused(`kube-proxy mode ${mode} is not modelled yet`);
  const rules = nodeRules(cluster, node, { component, family });
  return rules.ok ? found(rules.tables) : refused(rules.message);
}
