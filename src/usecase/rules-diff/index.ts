import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { recogniseRule } from '../explain/recognise-rule.ts';
import { serviceIndexOf, serviceIndexOfDump } from '../explain/service-index.ts';
import { alignChain } from './align-chain.ts';
import { comparedMakers, isCounter, isForeign, standsAnywhere, withoutCounter } from './foreign.ts';
import type { RuleLine } from '../../kernel/netfilter/iptables/rule.ts';
import type { Chain, IptablesTables, TableName } from '../../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { ChangedPolicy, ChangedRule, ComparedRule, RulesDiff } from '../../trace/rules-diff.ts';
import type { ServiceIndex } from '../explain/service-index.ts';
import type { RulesComponent } from '../rules.ts';

export interface RulesDiffInput {
  readonly cluster: Cluster;
  readonly node: string;
  readonly family: 4 | 6;
  /** Whose rules `expected` holds. */
  readonly component: RulesComponent;
  /** What the cluster asks for (`nodeRules`). */
  readonly expected: IptablesTables;
  /** What the node has: a parsed iptables-save. */
  readonly actual: IptablesTables;
}

/** Compares the rules of a real node with those that its cluster asks for. */
export function diffRules({ cluster, node, family, component, expected, actual }: RulesDiffInput): RulesDiff {
  const index = serviceIndexOfDump(actual, serviceIndexOf(cluster));
  const found = { missing: [], extra: [], changed: [], moved: [], policies: [], foreign: [] } satisfies Findings as Findings;
  const comparison = { index, compared: comparedMakers(cluster, component), found };
  for (const table of new Set([...expected.keys(), ...actual.keys()])) {
    const names = new Set([...(expected.get(table)?.chainNames() ?? []), ...(actual.get(table)?.chainNames() ?? [])]);
    for (const name of names) {
      compareChain(table, name, expected.get(table)?.chain(name), actual.get(table)?.chain(name), comparison);
    }
  }
  const { missing, extra, changed, moved, policies } = found;
  const same = [missing, extra, changed, moved, policies].every((list) => list.length === 0);
  return { apiVersion: 'k8snet/v1', kind: 'RulesDiff', node, program: 'iptables', family, same, ...found };
}

interface Findings {
  readonly missing: ComparedRule[];
  readonly extra: ComparedRule[];
  readonly changed: ChangedRule[];
  readonly moved: ChangedRule[];
  readonly policies: ChangedPolicy[];
  readonly foreign: ComparedRule[];
}

interface Comparison {
  readonly index: ServiceIndex;
  readonly compared: ReadonlySet<string>;
  readonly found: Findings;
}

function compareChain(
  table: TableName,
  name: string,
  expected: Chain | undefined,
  actual: Chain | undefined,
  { index, compared, found }: Comparison,
): void {
  const policies = [expected?.policy ?? 'ACCEPT', actual?.policy ?? 'ACCEPT'] as const;
  if (policies[0] !== policies[1]) found.policies.push({ table, chain: name, expected: policies[0], actual: policies[1] });
  const want = numbered(expected);
  const have = numbered(actual).filter(({ line }) => !isCounter(line.body));
  if (want.length === have.length && want.every(({ line }, i) => line.body === have[i]!.line.body)) return;

  const describe = ({ line, rule }: NumberedLine): ComparedRule => comparedRule(table, name, line, rule, index);
  const foreign = have.map(({ line: { body } }) => {
    const maker = recogniseRule(table, name, body, index)?.origin.by ?? null;
    return isForeign(compared, maker, name, expected !== undefined, body);
  });
  const { missing, extra, changed, moved } = alignChain(
    name,
    want.map(({ line }) => line.body),
    have.map(({ line }) => withoutCounter(line.body)),
    (i) => foreign[i]!,
  );
  const pair = ([i, k]: readonly [number, number]): ChangedRule => ({ expected: describe(want[i]!), actual: describe(have[k]!) });
  found.missing.push(...missing.map((i) => describe(want[i]!)));
  found.changed.push(...changed.map(pair));
  found.moved.push(...moved.filter(([i]) => !standsAnywhere(name, want[i]!.line.body)).map(pair));
  for (const k of extra) (foreign[k] ? found.foreign : found.extra).push(describe(have[k]!));
}

interface NumberedLine {
  readonly line: RuleLine;
  /** 1-based. */
  readonly rule: number;
}

function numbered(chain: Chain | undefined): readonly NumberedLine[] {
  return chain === undefined ? [] : linesOf(chain).map((line, i) => ({ line, rule: i + 1 }));
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
