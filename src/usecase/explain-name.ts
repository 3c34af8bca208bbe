import { linesOf } from '../kernel/netfilter/iptables/edit.ts';
import { explainChain, recogniseRule, serviceIndexOf } from './explain/index.ts';
import { parseRef } from './refs/parse.ts';
import { found, refused } from './refs/ref.ts';
import { nodeRules } from './rules.ts';
import { nearest } from '../support/nearest.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Origin } from '../trace/origin.ts';
import type { RuleEvent } from '../trace/event.ts';
import type { Result } from './refs/ref.ts';

/** A rule and what it is for. */
export interface ExplainedRule {
  readonly table: string;
  readonly rule: number;
  /** As iptables-save prints it. */
  readonly text: string;
  readonly sentence: string | null;
}

/** A chain, what it is for, whose it is, and its rules on a node. */
export interface ExplainedChain {
  readonly name: string;
  readonly sentence: string;
  readonly origin: Origin;
  readonly rules: readonly ExplainedRule[];
}

/**
 * Explains what `text` names: a chain, or a service (its chains).
 * @param nodeName on whose rules; null: the cluster's first node
 */
export function explainName(
  cluster: Cluster,
  text: string,
  nodeName: string | null,
  namespace: string,
): Result<readonly ExplainedChain[]> {
  const node = nodeName ?? cluster.nodes[0]?.name;
  if (node === undefined) return refused('the cluster has no node');
  const rules = nodeRules(cluster, node, { component: 'all', family: 4 });
  if (!rules.ok) return rules;
  const { tables } = rules;
  return /[/:.]/.test(text) ? explainService(cluster, tables, text, namespace) : explainOne(cluster, tables, text, node);
}

/** The sentence that stands beside a rule of a trace. */
export function describeRule(cluster: Cluster): (event: RuleEvent) => string | null {
  const index = serviceIndexOf(cluster);
  return ({ table, chain, text }) => {
    const known = recogniseRule(table, chain, text.replace(/^-A \S+ ?/, ''), index);
    return known === null ? null : [known.sentence, ...(known.origin.object === null ? [] : [known.origin.object])].join(' · ');
  };
}

function explainOne(cluster: Cluster, tables: IptablesTables, name: string, node: string): Result<readonly ExplainedChain[]> {
  const known = explainChain(name, cluster);
  const rules = rulesOf(cluster, tables, name);
  if (rules === null && known === null) {
    const names = [...tables.values()].flatMap((table) => [...table.chainNames()]);
    const near = nearest(name, names);
    return refused(`no chain "${name}" on ${node}, and nobody is known to make one${near ? `; did you mean ${near}?` : ''}`);
  }
  return found([chain(name, known, rules)]);
}

function explainService(
  cluster: Cluster,
  tables: IptablesTables,
  text: string,
  namespace: string,
): Result<readonly ExplainedChain[]> {
  const ref = parseRef(text);
  if (!ref.ok) return ref;
  if (ref.value.form !== 'object' || ref.value.kind !== 'svc')
    return refused(`"${text}": only chains and services (svc/NAME) are explained`);
  const wanted = { namespace: ref.value.namespace ?? namespace, name: ref.value.name };
  const service = cluster.services.find((s) => s.namespace === wanted.namespace && s.name === wanted.name);
  if (!service) return refused(`no service ${wanted.namespace}/${wanted.name}`);
  const object = `Service ${service.namespace}/${service.name}`;
  const names = new Set([...tables.values()].flatMap((table) => [...table.chainNames()]));
  const chains = [...names].flatMap((name) => {
    const known = explainChain(name, cluster);
    return known?.origin.object === object ? [chain(name, known, rulesOf(cluster, tables, name))] : [];
  });
  return chains.length > 0
    ? found(chains)
    : refused(`${object} has no chain of its own on this node: no endpoints, or no cluster IP`);
}

function chain(name: string, known: ReturnType<typeof explainChain>, rules: readonly ExplainedRule[] | null): ExplainedChain {
  const unknown = { sentence: 'nobody is known to make this chain', origin: { object: null, by: 'unknown' } };
  return { name, ...(known ?? unknown), rules: rules ?? [] };
}

/** null: no table has the chain. */
function rulesOf(cluster: Cluster, tables: IptablesTables, name: string): readonly ExplainedRule[] | null {
  const index = serviceIndexOf(cluster);
  const inTables = [...tables.values()].flatMap((table) => {
    const found = table.chain(name);
    return found === undefined ? [] : [{ table: table.name, lines: linesOf(found) }];
  });
  if (inTables.length === 0) return null;
  return inTables.flatMap(({ table, lines }) =>
    lines.map(({ body }, i) => ({
      table,
      rule: i + 1,
      text: `-A ${name}${body === '' ? '' : ` ${body}`}`,
      sentence: recogniseRule(table, name, body, index)?.sentence ?? null,
    })),
  );
}
