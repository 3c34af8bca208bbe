import { linesOf } from '../kernel/netfilter/iptables/edit.ts';
import { explainChain, isKnownChain, recogniseRule, serviceIndexOf } from './explain/index.ts';
import { parseRef } from './refs/parse.ts';
import { found, refused } from './refs/ref.ts';
import { nodeRules } from './rules.ts';
import { nearest } from '../support/nearest.ts';
import { findServiceNamed } from '../kubernetes/services/find-service.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Cluster, Service } from '../kubernetes/model/cluster.ts';
import type { ExplainedChain, ExplainedRule } from '../trace/explanation.ts';
import type { RuleEvent } from '../trace/event.ts';
import type { Result } from './refs/ref.ts';

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
  if (rules !== null) return found([chain(name, known, rules)]);
  // Chains of other versions and modes, and of makers that are not modelled, are explained all the same. A name that only begins as those
  // that would be here is a slip.
  if (known !== null && (isKnownChain(name) || !MAKERS_HERE.has(known.origin.by)))
    return found([{ ...chain(name, known, rules), sentence: `${known.sentence} (${node} has no such chain)` }]);
  const near = nearest(
    name,
    [...tables.values()].flatMap((table) => [...table.chainNames()]),
  );
  const hint = near === null ? '' : `; did you mean ${near}?`;
  return refused(`no chain "${shortened(name)}" on ${node}${known === null ? ', and nobody is known to make one' : ''}${hint}`);
}

/** Who makes the chains of a compiled node; "kubernetes": what has the name of one of its chains, and is none. */
const MAKERS_HERE: ReadonlySet<string> = new Set(['kube-proxy', 'kubernetes', 'flannel', 'portmap', 'bridge-plugin']);

/** As much of a text as a message has room for. */
function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
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
  const service = findServiceNamed(cluster, wanted.namespace, wanted.name);
  if (!service) return refused(`no service ${wanted.namespace}/${wanted.name}`);
  const object = `Service ${service.namespace}/${service.name}`;
  const names = new Set([...tables.values()].flatMap((table) => [...table.chainNames()]));
  const chains = [...names].flatMap((name) => {
    const known = explainChain(name, cluster);
    return known?.origin.object === object ? [chain(name, known, rulesOf(cluster, tables, name))] : [];
  });
  return found(chains.length > 0 ? chains : withoutChains(service, object, cluster, tables));
}

/** What there is of a service without a chain of its own: its rules in others' chains, or why there are none. */
function withoutChains(service: Service, object: string, cluster: Cluster, tables: IptablesTables): ExplainedChain[] {
  const names = new Set([...tables.values()].flatMap((table) => [...table.chainNames()]));
  const origin = { object, by: 'kube-proxy' };
  const there = [...names].flatMap((name) => {
    const rules = rulesOf(cluster, tables, name, object) ?? [];
    return rules.length === 0
      ? []
      : [{ name, sentence: `its rules for ${object}, which has no chain of its own: no endpoints`, origin, rules }];
  });
  if (there.length > 0) return there;
  const why =
    service.type === 'ExternalName'
      ? 'it is only another name'
      : service.headless
        ? 'it is headless, clients get the addresses of the pods'
        : 'kube-proxy does not serve it here, or not by iptables';
  return [{ name: `svc/${service.namespace}/${service.name}`, sentence: `no rule is about it: ${why}`, origin, rules: [] }];
}

function chain(name: string, known: ReturnType<typeof explainChain>, rules: readonly ExplainedRule[] | null): ExplainedChain {
  const unknown = { sentence: 'nobody is known to make this chain', origin: { object: null, by: 'unknown' } };
  return { name, ...(known ?? unknown), rules: rules ?? [] };
}

/** null: no table has the chain. `about`: only rules made for this object. */
function rulesOf(cluster: Cluster, tables: IptablesTables, name: string, about?: string): readonly ExplainedRule[] | null {
  const index = serviceIndexOf(cluster);
  const inTables = [...tables.values()].flatMap((table) => {
    const found = table.chain(name);
    return found === undefined ? [] : [{ table: table.name, lines: linesOf(found) }];
  });
  if (inTables.length === 0) return null;
  return inTables.flatMap(({ table, lines }) =>
    lines.flatMap(({ body }, i) => {
      const known = recogniseRule(table, name, body, index);
      if (about !== undefined && known?.origin.object !== about) return [];
      const text = `-A ${name}${body === '' ? '' : ` ${body}`}`;
      return [{ table, rule: i + 1, text, sentence: known?.sentence ?? null }];
    }),
  );
}
