import type { ConnectionResult } from '../../kernel/walk/connection.ts';
import type { RuleEvent } from '../../trace/event.ts';
import type { Cause, Part } from '../../trace/outcome.ts';

const PARTS: readonly Part[] = ['request', 'reply', 'ack', 'data'];

/** Rules that are named; a dump may hold hundreds. */
const NAMED = 6;

/** unknown-rule: a rule that k8snet can't evaluate stood on the way, so that the verdict is open. */
export function unknownRule(result: ConnectionResult): Cause | null {
  const rules = result.unknownRules;
  if (rules.length === 0) return null;
  const named = rules.slice(0, NAMED).map((rule) => `\`${rule}\``);
  const more = rules.length > NAMED ? ` and ${rules.length - NAMED} more` : '';
  const [these, match] = rules.length === 1 ? ['this rule matches', 'it does not'] : ['these rules match', 'none does'];
  const text = `it can't be told whether ${these}: ${named.join(', ')}${more}; if ${match}, the verdict is ${result.verdict}`;
  return { code: 'unknown-rule', text, remedy: null, at: whereMet(result) };
}

function whereMet(result: ConnectionResult): Cause['at'] {
  for (const part of PARTS) {
    const event = result[part].findIndex((e) => e.kind === 'rule' && (e as RuleEvent).unknown !== undefined);
    if (event >= 0) return { leg: 0, part, event };
  }
  return null;
}
