import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { recogniseRule, serviceIndexOf } from '../explain/index.ts';
import { readRuleText } from '../explain/rule-text.ts';
import { serviceObject } from '../explain/service-index.ts';
import { entrySentence, stepSentence } from './rule-words.ts';
import { fullName, proxyProcessName } from './words.ts';
import type { IptablesTables, Table } from '../../kernel/netfilter/iptables/table.ts';
import type { RegistrationChain, RegistrationEntry } from '../../trace/explanation.ts';
import type { RuleText } from '../explain/rule-text.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { ServiceIndex } from '../explain/service-index.ts';
import type { NodeEntries, RulesQuestion } from './rules.ts';

/** Chains that are one service port's own. */
const OWN_CHAIN = /^KUBE-(SVC|SVL|EXT|FW|XLB)-/;
const ENDPOINT_CHAIN = /^KUBE-SEP-/;

/** Rules of iptables about the service: those in shared chains, and the service's chains from there on. Both families. */
export function iptablesEntries(question: RulesQuestion): NodeEntries {
  const { iptables, ip6tables } = question.host.netfilter;
  const parts = [
    ...(question.service.ipFamilies.includes(4) ? [inTables(question, iptables, '')] : []),
    ...(question.service.ipFamilies.includes(6) ? [inTables(question, ip6tables, 'ip6 ')] : []),
  ];
  return { entries: parts.flatMap(({ entries }) => entries), chains: parts.flatMap(({ chains }) => chains) };
}

function inTables(question: RulesQuestion, tables: IptablesTables, prefix: string): NodeEntries {
  const index = serviceIndexOf(question.cluster);
  const entries: RegistrationEntry[] = [];
  for (const table of tables.values()) {
    for (const name of table.chainNames()) {
      if (OWN_CHAIN.test(name) || ENDPOINT_CHAIN.test(name)) continue;
      entries.push(...entriesOfChain(question, table, name, prefix, index));
    }
  }
  const nat = tables.get('nat');
  const chains = nat === undefined ? [] : ownChains(question, nat, entries, index, prefix === '' ? '' : 'IPv6: ');
  return { entries, chains };
}

function entriesOfChain(
  { cluster, service }: RulesQuestion,
  table: Table,
  name: string,
  prefix: string,
  index: ServiceIndex,
): readonly RegistrationEntry[] {
  const chain = table.chain(name);
  if (chain === undefined) return [];
  const object = serviceObject(fullName(service));
  return linesOf(chain).flatMap(({ body }, i) => {
    // A cluster has thousands of rules; the service's name stands in the comment of its own.
    if (!body.includes(fullName(service))) return [];
    const known = recogniseRule(table.name, name, body, index);
    if (known?.origin.object !== object) return [];
    const rule = readRuleText(body);
    const protocol = rule.option('-p') ?? 'tcp';
    const port = rule.option('--dport') ?? rule.option('--dports') ?? '';
    const address = rule.option('-d')?.replace(/\/(32|128)$/, '') ?? null;
    const place = `${prefix}${table.name} ${name} #${i + 1}`;
    const leadsTo = OWN_CHAIN.test(rule.target) ? rule.target : proxyProcess(rule, protocol, cluster);
    const role = known.origin.role ?? '';
    const takes = address === null ? `this node:${port}/${protocol}` : `${addressWithPort(address, port)}/${protocol}`;
    return [{ takes, role: role === '' ? null : role, place, leadsTo, sentence: entrySentence(role, known.sentence) }];
  });
}

/** In mode userspace rules lead to a port of kube-proxy's own. */
function proxyProcess(rule: RuleText, protocol: string, { kubeProxy: { mode } }: Cluster): string | null {
  const to = rule.option('--to-ports') ?? rule.option('--to-destination');
  return mode === 'userspace' && to !== null ? proxyProcessName(protocol, to.slice(to.lastIndexOf(':') + 1)) : null;
}

function addressWithPort(address: string, port: string): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The service's chains in the order in which jumps lead to them. */
function ownChains(
  question: RulesQuestion,
  nat: Table,
  entries: readonly RegistrationEntry[],
  index: ServiceIndex,
  family: string,
): readonly RegistrationChain[] {
  const names = [...new Set(entries.flatMap(({ leadsTo }) => leadsTo ?? []))];
  const chains: RegistrationChain[] = [];
  // The list grows while it is gone through: what a chain leads to comes behind it.
  for (const name of names) {
    const chain = nat.chain(name);
    if (chain === undefined) continue;
    const lines = linesOf(chain);
    const choices = lines.filter(({ body }) => isChoice(body)).length;
    const steps = lines.map(({ body }, i) => {
      const rule = readRuleText(body);
      const known = recogniseRule('nat', name, body, index);
      const leadsTo = OWN_CHAIN.test(rule.target) || ENDPOINT_CHAIN.test(rule.target) ? rule.target : null;
      if (leadsTo !== null && !ENDPOINT_CHAIN.test(leadsTo) && !names.includes(leadsTo)) names.push(leadsTo);
      const endpoint = leadsTo === null ? null : endpointBehind(nat, leadsTo, index);
      const pod = endpoint === null ? null : question.podAt(endpoint);
      const sentence = stepSentence(known?.origin.role ?? '', rule, known?.sentence ?? body, choices);
      return { rule: i + 1, sentence, leadsTo, endpoint, pod };
    });
    chains.push({ name, sentence: family + (CHAIN_WORDS[name.split('-')[1] ?? ''] ?? ''), steps });
  }
  return chains;
}

/** A jump to an endpoint that is no remembered one. */
function isChoice(body: string): boolean {
  return ENDPOINT_CHAIN.test(readRuleText(body).target) && !body.includes('-m recent');
}

function endpointBehind(nat: Table, name: string, index: ServiceIndex): string | null {
  if (!ENDPOINT_CHAIN.test(name)) return null;
  const chain = nat.chain(name);
  for (const { body } of chain === undefined ? [] : linesOf(chain)) {
    const to = readRuleText(body).option('--to-destination');
    if (to !== null) return to;
  }
  return index.owner(name)?.endpoint ?? null;
}

const CHAIN_WORDS: Readonly<Record<string, string>> = {
  SVC: 'chooses among all endpoints',
  SVL: 'chooses among the endpoints of this node (traffic policy Local)',
  EXT: 'what comes by node port, external or balancer address',
  XLB: 'what comes by node port or balancer address',
  FW: 'checks who may use the balancer’s address',
};
