import type { ConnectionResult } from '../../kernel/walk/connection.ts';
import type { RuleEvent } from '../../trace/event.ts';
import type { Cause, Part } from '../../trace/outcome.ts';

const PARTS: readonly Part[] = ['request', 'reply', 'ack', 'data'];

/** unknown-rule: a rule that k8snet can't evaluate stood on the way, so that the verdict is open. */
export function unknownRule(result: ConnectionResult): Cause | null {
  const [first, ...others] = result.unknownRules;
  if (first === undefined) return null;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const text = `it can't be told whether this rule matches: \`${first}\`${more}; if it does not, the verdict is ${result.verdict}`;
  return { code: 'unknown-rule', text, remedy: null, at: whereMet(result) };
}

function whereMet(result: ConnectionResult): Cause['at'] {
  for (const part of PARTS) {
    const event = result[part].findIndex((e) => e.kind === 'rule' && (e as RuleEvent).unknown !== undefined);
    if (event >= 0) return { leg: 0, part, event };
  }
  return null;
}
