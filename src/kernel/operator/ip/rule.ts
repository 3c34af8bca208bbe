import { sameCidr } from '../../../net/cidr.ts';
import { TABLE_MAIN } from '../../routing/route.ts';
import { Arguments, matchCommand } from '../arguments.ts';
import { ANSWER, refuse } from '../failure.ts';
import { readRule } from './rule-words.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { Host } from '../../host.ts';
import type { RoutingRule } from '../../routing/route.ts';
import type { RuleWords } from './rule-words.ts';

const COMMANDS = ['list', 'lst', 'show', 'save', 'restore', 'add', 'delete', 'flush'] as const;

/** `ip rule ...`, `ip -6 rule ...` (fib_nl_newrule, fib_nl_delrule) */
export function ipRule(host: Host, words: readonly string[], family: IpFamily): Host {
  const [word, ...rest] = words;
  if (word === undefined) return host;
  const args = new Arguments(rest);
  switch (matchCommand(word, COMMANDS)) {
    case 'add':
      if (args.done) refuse('"ip rule add" requires arguments.');
      return addRule(host, readRule(args, family), family);
    case 'delete':
      if (args.done) refuse('"ip rule del" requires arguments.');
      return deleteRule(host, readRule(args, family), family);
    case 'flush':
      return withRules(
        host,
        host.routing.rules.filter((rule) => rule.family !== family || rule.priority === 0),
      );
    case 'list':
    case 'lst':
    case 'show':
    case 'save':
      return host;
    case 'restore':
    case undefined:
      return refuse(`Command "${word}" is unknown, try "ip rule help".`);
  }
}

/** fib_newrule: without a priority one before the second rule of the list; behind those of its priority. */
function addRule(host: Host, words: RuleWords, family: IpFamily): Host {
  const { rules } = host.routing;
  const own = rules.filter((rule) => rule.family === family);
  const priority = words.priority ?? Math.max(0, (own[1]?.priority ?? 1) - 1);
  const rule: RoutingRule = {
    priority,
    family,
    invert: words.invert ?? false,
    from: words.from ?? null,
    to: words.to ?? null,
    iif: words.iif ?? null,
    oif: words.oif ?? null,
    mark: words.mark ?? null,
    protocol: words.protocol ?? null,
    sport: words.sport ?? null,
    dport: words.dport ?? null,
    suppressPrefixLength: words.suppressPrefixLength ?? null,
    action: words.action ?? { kind: 'lookup', table: TABLE_MAIN },
  };
  if (own.some((other) => JSON.stringify(keyOf(other)) === JSON.stringify(keyOf(rule)))) refuse(ANSWER.EEXIST);
  const before = rules.filter((other) => other.priority <= priority);
  const behind = rules.filter((other) => other.priority > priority);
  return withRules(host, [...before, rule, ...behind]);
}

/** fib_delrule: the first rule that has all that is said. */
function deleteRule(host: Host, words: RuleWords, family: IpFamily): Host {
  const { rules } = host.routing;
  const index = rules.findIndex((rule) => rule.family === family && isMeant(rule, words));
  return index < 0 ? refuse(ANSWER.ENOENT) : withRules(host, [...rules.slice(0, index), ...rules.slice(index + 1)]);
}

function isMeant(rule: RoutingRule, words: RuleWords): boolean {
  return (
    (words.priority === undefined || rule.priority === words.priority) &&
    sameRange(rule.from, words.from) &&
    sameRange(rule.to, words.to) &&
    (words.iif === undefined || rule.iif === words.iif) &&
    (words.oif === undefined || rule.oif === words.oif) &&
    (words.mark === undefined || (rule.mark?.value === words.mark.value && rule.mark.mask === words.mark.mask)) &&
    (words.protocol === undefined || rule.protocol === words.protocol) &&
    (words.sport === undefined || (rule.sport?.from === words.sport.from && rule.sport.to === words.sport.to)) &&
    (words.dport === undefined || (rule.dport?.from === words.dport.from && rule.dport.to === words.dport.to)) &&
    (words.suppressPrefixLength === undefined || rule.suppressPrefixLength === words.suppressPrefixLength) &&
    (words.action === undefined || sameAction(rule.action, words.action))
  );
}

/** "from all" and nothing are the same to a deletion. */
function sameRange(range: Cidr | null, wanted: Cidr | null | undefined): boolean {
  return !wanted || (range !== null && sameCidr(range, wanted));
}

function sameAction(a: RoutingRule['action'], b: RoutingRule['action']): boolean {
  return a.kind === b.kind && (a.kind !== 'lookup' || b.kind !== 'lookup' || a.table === b.table);
}

function keyOf(rule: RoutingRule): unknown {
  const range = (cidr: Cidr | null): unknown => cidr && [String(cidr.address), cidr.length];
  return { ...rule, from: range(rule.from), to: range(rule.to) };
}

function withRules(host: Host, rules: readonly RoutingRule[]): Host {
  return { ...host, routing: { ...host.routing, rules } };
}
