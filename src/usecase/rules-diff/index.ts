import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { recogniseRule } from '../explain/recognise-rule.ts';
import { serviceIndexOf, serviceIndexOfDump } from '../explain/service-index.ts';
import { alignChain } from './align-chain.ts';
import { isForeign } from './foreign.ts';
import type { RuleLine } from '../../kernel/netfilter/iptables/rule.ts';
import type { Chain, IptablesTables, TableName } from '../../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { ChangedPolicy, ChangedRule, ComparedRule, RulesDiff } from '../../trace/rules-diff.ts';
import type { ServiceIndex } from '../explain/service-index.ts';

export interface RulesDiffInput {
  readonly cluster: Cluster;
  readonly node: string;
  readonly family: 4 | 6;
  /** What the cluster asks for (`nodeRules`). */
  readonly expected: IptablesTables;
  /** What the node has: a parsed iptables-save. */
  readonly actual: IptablesTables;
}

/** Compares the rules of a real node with those that its cluster asks for. */
export function diffRules({ cluster, node, family, expected, actual }: RulesDiffInput): RulesDiff {
  const index = serviceIndexOfDump(actual, serviceIndexOf(cluster));
  const found = { missing: [], extra: [], changed: [], moved: [], policies: [], foreign: [] } satisfies Findings as Findings;
  for (const table of new Set([...expected.keys(), ...actual.keys()])) {
    const names = new Set([...(expected.get(table)?.chainNames() ?? []), ...(actual.get(table)?.chainNames() ?? [])]);
    for (const name of names) {
      compareChain(table, name, expected.get(table)?.chain(name), actual.get(table)?.chain(name), index, found);
    }
  }
  const { missing, extra, changed, moved, policies } = found;
  const same = [missing, extra, changed, moved, policies].every((list) => list.length === 0);
  return { apiVersion: 'k8snet/v1', kind: 'RulesDiff', node, family, same, ...found };
}

interface Findings {
  readonly missing: ComparedRule[];
  readonly extra: ComparedRule[];
  readonly changed: ChangedRule[];
  readonly moved: ChangedRule[];
  readonly policies: ChangedPolicy[];
  readonly foreign: ComparedRule[];
}

function compareChain(
  table: TableName,
  name: string,
  expected: Chain | undefined,
  actual: Chain | undefined,
  index: ServiceIndex,
  found: Findings,
): void {
  const policies = [expected?.policy ?? 'ACCEPT', actual?.policy ?? 'ACCEPT'] as const;
  if (policies[0] !== policies[1]) found.policies.push({ table, chain: name, expected: policies[0], actual: policies[1] });
  const describe = (line: RuleLine, i: number): ComparedRule => comparedRule(table, name, line, i + 1, index);
  const want = expected === undefined ? [] : linesOf(expected);
  const have = actual === undefined ? [] : linesOf(actual);
  if (want.length === have.length && want.every((line, i) => line.body === have[i]!.body)) return;

  const foreign = have.map((line) => isForeign(name, expected !== undefined, line.body));
  const { missing, extra, changed, moved } = alignChain(
    name,
    want.map(({ body }) => body),
    have.map(({ body }) => body),
    (i) => foreign[i]!,
  );
  const pair = ([i, k]: readonly [number, number]): ChangedRule => ({
    expected: describe(want[i]!, i),
    actual: describe(have[k]!, k),
  });
  found.missing.push(...missing.map((i) => describe(want[i]!, i)));
  found.changed.push(...changed.map(pair));
  found.moved.push(...moved.map(pair));
  for (const k of extra) (foreign[k] ? found.foreign : found.extra).push(describe(have[k]!, k));
}

function comparedRule(table: string, chain: string, line: RuleLine, rule: number, index: ServiceIndex): ComparedRule {
  const known = recogniseRule(table, chain, line.body, index);
  const origin = line.origin ?? known?.origin;
  return {
    table,
    chain,
    rule,
    text: line.body,
    ...(origin && { origin }),
    purpose: known?.sentence ?? null,
    ...(line.source && { source: line.source }),
  };
}
