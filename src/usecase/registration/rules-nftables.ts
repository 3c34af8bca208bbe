import { entrySentence } from './rule-words.ts';
import { parseIp } from '../../net/ip.ts';
import { fullName, isPlaceOf } from './words.ts';
import type { Service } from '../../kubernetes/model/cluster.ts';
import type { NftRule, NftTable } from '../../kernel/netfilter/nftables/ruleset.ts';
import type { RegistrationChain, RegistrationEntry, RegistrationStep } from '../../trace/explanation.ts';
import type { NodeEntries, RulesQuestion } from './rules.ts';

/** Elements of kube-proxy's maps that are the service's, and its chains from there on. */
export function nftablesEntries(question: RulesQuestion): NodeEntries {
  const tables = question.host.netfilter.nftables.filter(({ name }) => name === 'kube-proxy');
  const parts = tables.map((table) => inTable(question, table));
  return { entries: parts.flatMap(({ entries }) => entries), chains: parts.flatMap(({ chains }) => chains) };
}

function inTable({ service, podAt }: RulesQuestion, table: NftTable): NodeEntries {
  const object = `Service ${fullName(service)}`;
  const entries = [...table.sets()].flatMap((set) =>
    set.kind !== 'map'
      ? []
      : set.elements().flatMap(({ key, data, origin }): readonly RegistrationEntry[] => {
          // Elements of a dump name no service.
          if (origin ? origin.object !== object : !isKeyOf(service, key)) return [];
          const target = data === null ? null : targetOf(data);
          const leadsTo = target !== null && isOwn(target) ? target : null;
          const place = `${table.family} map ${set.name}`;
          return [
            {
              takes: keyText(key),
              role: origin?.role ?? null,
              place,
              leadsTo,
              sentence: entrySentence(origin?.role ?? '', data ?? ''),
            },
          ];
        }),
  );
  return { entries, chains: ownChains(table, entries, podAt) };
}

function isKeyOf(service: Service, key: string): boolean {
  const [first = '', second = '', third] = key.split(' . ');
  if (third === undefined)
    return service.ports.some(({ protocol, nodePort }) => nodePort !== 0 && `${protocol} . ${nodePort}` === key);
  const address = parseIp(first);
  return address !== null && isPlaceOf(service, second, address, Number(third));
}

/** "10.96.0.20 . tcp . 80" as "10.96.0.20:80/tcp", "tcp . 30080" as "this node:30080/tcp". */
function keyText(key: string): string {
  const parts = key.split(' . ');
  const [address, protocol, port] = parts.length === 3 ? parts : [null, ...parts];
  if (address === null || address === undefined) return `this node:${port ?? ''}/${protocol ?? ''}`;
  return `${address.includes(':') ? `[${address}]` : address}:${port ?? ''}/${protocol ?? ''}`;
}

/** The chain of a verdict "goto CHAIN" or "jump CHAIN"; null for others. */
function targetOf(verdict: string): string | null {
  return /(?:goto|jump) (\S+)/.exec(verdict)?.[1] ?? null;
}

/** Chains of one service port are named after it; chains that all use have plain names. */
function isOwn(chain: string): boolean {
  return /^(service|local|external|firewall|endpoint)-/.test(chain);
}

function ownChains(
  table: NftTable,
  entries: readonly RegistrationEntry[],
  podAt: RulesQuestion['podAt'],
): readonly RegistrationChain[] {
  const names = [...new Set(entries.flatMap(({ leadsTo }) => leadsTo ?? []))];
  const chains: RegistrationChain[] = [];
  // The list grows while it is gone through: what a chain leads to comes behind it.
  for (const name of names) {
    const chain = table.chain(name);
    if (chain === undefined) continue;
    const steps = chain.rules.flatMap((rule, i) => stepsOf(table, rule, i + 1, podAt));
    for (const { leadsTo, endpoint } of steps)
      if (leadsTo !== null && endpoint === null && isOwn(leadsTo) && !names.includes(leadsTo)) names.push(leadsTo);
    chains.push({ name, sentence: CHAIN_WORDS[name.split('-')[0] ?? ''] ?? '', steps });
  }
  return chains;
}

function stepsOf(table: NftTable, rule: NftRule, number: number, podAt: RulesQuestion['podAt']): readonly RegistrationStep[] {
  const choices = /(?:vmap|map) \{ (.*) \}/.exec(rule.text)?.[1]?.split(', ') ?? [];
  if (choices.length > 0 && rule.text.includes('numgen random')) {
    return choices.map((choice) => {
      const to = choice.slice(choice.indexOf(' : ') + 3);
      const leadsTo = targetOf(to);
      const endpoint = leadsTo === null ? joined(to) : endpointBehind(table, leadsTo);
      return {
        rule: number,
        sentence: choices.length === 1 ? 'the only one' : `1 in ${choices.length}`,
        leadsTo,
        endpoint,
        pod: endpoint === null ? null : podAt(endpoint),
      };
    });
  }
  const leadsTo = targetOf(rule.text);
  const own = leadsTo !== null && isOwn(leadsTo) ? leadsTo : null;
  const endpoint = own === null ? null : endpointBehind(table, own);
  const sentence = sentenceOf(rule);
  return [{ rule: number, sentence, leadsTo: own, endpoint, pod: endpoint === null ? null : podAt(endpoint) }];
}

/** "10.244.0.3 . 8080" as an endpoint. */
function joined(data: string): string {
  const [address = '', port = ''] = data.split(' . ');
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function endpointBehind(table: NftTable, chain: string): string | null {
  if (!chain.startsWith('endpoint-')) return null;
  for (const { text } of table.chain(chain)?.rules ?? []) {
    const to = /dnat (?:ip6? )?to (\S+)/.exec(text)?.[1];
    if (to !== undefined) return to;
  }
  return null;
}

function sentenceOf({ text, origin }: NftRule): string {
  switch (origin?.role) {
    case 'masquerade-mark':
      return /fib saddr/.test(text)
        ? 'mark for masquerading: from the node itself'
        : /saddr != |iifname != /.test(text)
          ? 'mark for masquerading: not from a pod'
          : 'mark for masquerading';
    case 'affinity':
      return 'a client seen lately: keeps';
    case 'pod-short-circuit':
      return 'from a pod: all endpoints';
    case 'local-short-circuit':
      return 'from the node itself: all endpoints';
    case 'external-policy':
      return /goto local-/.test(text) ? 'from outside: endpoints here only' : 'to the endpoints';
    case 'source-range':
      return 'dropped: not in loadBalancerSourceRanges';
    default:
      return text;
  }
}

const CHAIN_WORDS: Readonly<Record<string, string>> = {
  service: 'chooses among all endpoints',
  local: 'chooses among the endpoints of this node (traffic policy Local)',
  external: 'what comes by node port, external or balancer address',
  firewall: 'checks who may use the balancer’s address',
};
