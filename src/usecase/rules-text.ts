import { parseSave } from '../kernel/netfilter/iptables/save-format/parse.ts';
import { printSave } from '../kernel/netfilter/iptables/save-format/print.ts';
import { printRuleset } from '../kernel/netfilter/nftables/print.ts';
import { compileNodeIptables, compileNodeNftables } from '../kubernetes/compile.ts';
import { listedRuleset } from '../kubernetes/dumped-rules.ts';
import { proxyFamilies } from '../kubernetes/services/proxy-families.ts';
import { assertNever } from '../support/assert-never.ts';
import { ipsetText, ipvsText, ipvsadmText } from './ipvs-text.ts';
import { originsForNftDump } from './explain/index.ts';
import { diffRules } from './rules-diff/index.ts';
import { diffNftRulesets } from './rules-diff/nft.ts';
import { found, refused } from './refs/ref.ts';
import { nodeNamed, nodeRules } from './rules.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Cluster, DumpFile, Node, ProxyMode } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { RulesDiff } from '../trace/rules-diff.ts';
import type { Result } from './refs/ref.ts';
import type { RulesComponent, RulesOptions } from './rules.ts';

export interface NodeRulesQuestion extends RulesOptions {
  readonly node: string;
  /** In place of the cluster's own. */
  readonly proxyMode?: ProxyMode;
}

/** The program whose output is asked for; `all`: of all that have something to say in the cluster's proxy mode. */
export type RulesFormat = 'iptables-save' | 'ip6tables-save' | 'nft' | 'ipset' | 'ipvsadm' | 'all';

export interface RulesTextQuestion extends Omit<NodeRulesQuestion, 'family'> {
  readonly format: RulesFormat;
}

/** What `iptables-save`, `nft list ruleset`, `ipset save` ... would print on a node that has just these rules. */
export function rulesText(cluster: Cluster, question: RulesTextQuestion): Result<string> {
  const { format, component } = question;
  const changed = withMode(cluster, question.proxyMode);
  const { mode } = changed.kubeProxy;
  const node = nodeNamed(changed, question.node);
  if (!node.ok) return node;
  const wanted = MODE_OF_FORMAT[format];
  if (wanted !== undefined && mode !== wanted)
    return refused(`-o ${format} is for kube-proxy mode ${wanted}, and the mode is ${mode}: --proxy-mode ${wanted} changes that`);
  return found(textOf(changed, node.value, component, format));
}

/** Formats that only one proxy mode has anything for. */
const MODE_OF_FORMAT: Readonly<Partial<Record<RulesFormat, ProxyMode>>> = { nft: 'nftables', ipset: 'ipvs', ipvsadm: 'ipvs' };

function textOf(cluster: Cluster, node: Node, component: RulesComponent, format: RulesFormat): string {
  switch (format) {
    case 'iptables-save':
      return printSave(compileNodeIptables(cluster, node, component, 4), 4);
    case 'ip6tables-save':
      return printSave(compileNodeIptables(cluster, node, component, 6), 6);
    case 'nft':
      return printRuleset(compileNodeNftables(cluster, node, component));
    case 'ipset':
      return ipsetText(cluster, node, component);
    case 'ipvsadm':
      return ipvsadmText(cluster, node, component);
    case 'all':
      return allText(cluster, node, component);
    default:
      return assertNever(format);
  }
}

function allText(cluster: Cluster, node: Node, component: RulesComponent): string {
  if (cluster.kubeProxy.mode === 'ipvs') return ipvsText(cluster, node, component);
  const tables = proxyFamilies(cluster, node).map((family) =>
    printSave(compileNodeIptables(cluster, node, component, family), family),
  );
  return [printRuleset(compileNodeNftables(cluster, node, component)), ...tables].join('');
}

/** How a node's `nft list ruleset` differs from what it should have. Only mode nftables asks for rules there. */
export function compareWithNftDump(
  cluster: Cluster,
  question: Omit<NodeRulesQuestion, 'family'>,
  dump: DumpFile,
): Result<RulesDiff> {
  const changed = withMode(cluster, question.proxyMode);
  const node = nodeNamed(changed, question.node);
  if (!node.ok) return node;
  const { mode } = changed.kubeProxy;
  if (mode !== 'nftables')
    return refused(`${dump.file}: rules of nftables, and kube-proxy's mode is ${mode}: --proxy-mode nftables changes that`);
  const listed = listedRuleset(dump);
  if (!listed.ok) return refused(`${dump.file}:${listed.line}: ${listed.message}`);
  const expected = compileNodeNftables(changed, node.value, question.component);
  return found(diffNftRulesets({ node: node.value.name, expected, actual: originsForNftDump(listed.ruleset, changed) }));
}

/** True for what `nft list ruleset` prints, with or without a table of iptables-nft in it. */
export function isNftListing(text: string): boolean {
  return /^\s*table (?:ip6?|inet|arp|bridge|netdev) \S+ \{/m.test(text);
}

/** How a dump of the node differs from what it should have. `diagnostics`: lines of the dump that could not be read. */
export function compareWithDump(
  cluster: Cluster,
  question: NodeRulesQuestion,
  dump: { readonly name: string; readonly text: string },
): Result<{ readonly diff: RulesDiff; readonly diagnostics: readonly Diagnostic[] }> {
  const changed = withDump(withMode(cluster, question.proxyMode), question.node, dump);
  const rules = rulesOf(changed, question);
  if (!rules.ok) return rules;
  const { node, family, component } = question;
  const saved = parseSave(dump.text, dump.name);
  const actual = family === 4 ? saved.tables : saved.tables6.size > 0 ? saved.tables6 : saved.tables;
  if (actual.size === 0)
    return refused(`${dump.name}: no table of ${family === 4 ? 'iptables-save' : 'ip6tables-save'} in this file`);
  const diagnostics = saved.diagnostics.map(({ line, message }) => ({
    // What can't be read of a dump that is compared only shows as a difference.
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

/** What is drawn at random on a node (kube-proxy's own ports in userspace mode) is as the dump has it. */
function withDump(cluster: Cluster, name: string, dump: { readonly name: string; readonly text: string }): Cluster {
  const node = nodeNamed(cluster, name);
  if (!node.ok) return cluster;
  const dumped = { ...node.value, iptablesSave: { file: dump.name, text: dump.text } };
  return { ...cluster, nodes: cluster.nodes.map((each) => (each === node.value ? dumped : each)) };
}

function rulesOf(cluster: Cluster, { node, component, family }: NodeRulesQuestion): Result<IptablesTables> {
  const rules = nodeRules(cluster, node, { component, family });
  return rules.ok ? found(rules.tables) : refused(rules.message);
}
