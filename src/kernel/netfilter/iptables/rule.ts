import { remembered } from '../../remembered.ts';
import { RuleError } from './option.ts';
import { parseRuleSpec } from './rule-spec.ts';
import { splitRuleWords } from './words.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { Match } from './match/match.ts';
import type { Rule, TableName } from './table.ts';

/** A rule as text with what is known about it. */
export interface RuleLine {
  /** Behind "-A CHAIN ", in iptables-save's own form. */
  readonly body: string;
  readonly origin?: Origin;
  readonly source?: { readonly file: string; readonly line: number };
}

/**
 * Compiles a rule in iptables-save's form. A module or option that k8snet does not model makes the rule *unknown* (a Match or
 * Target that says so); it never throws for one. The body stays as it is given.
 */
export function compileRule(line: RuleLine, table: TableName, family: 4 | 6): Rule {
  const { body, origin, source } = line;
  const { matches, target } = partsOf(`${family} ${table}`)(body);
  return { body, ...(origin && { origin }), ...(source && { source }), matches, target };
}

type RuleParts = Pick<Rule, 'matches' | 'target'>;

/**
 * What a text says, by family and table. Nodes of a cluster have mostly the same rules: those share their parts, which hold nothing of the
 * node and nothing that changes.
 */
const partsOf = remembered((scope: string) => {
  const [family, table] = scope.split(' ') as [string, TableName];
  return remembered((body: string) => parse(body, table, family === '4' ? 4 : 6));
});

function parse(body: string, table: TableName, family: 4 | 6): RuleParts {
  try {
    const { matches, target } = parseRuleSpec(splitRuleWords(body), table, family, 'dump');
    return { matches, target };
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    const unreadable: Match = { module: '', text: body, test: () => 'unknown', unknown: true };
    return { matches: [unreadable], target: { text: '', action: { kind: 'unknown', name: '' } } };
  }
}

/** True when k8snet can't evaluate a rule: a match or the target is not modelled. */
export function isUnknownRule(rule: Rule): boolean {
  return rule.target.action.kind === 'unknown' || rule.matches.some((match) => match.unknown);
}
