import type { Origin } from '../../../trace/origin.ts';
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
 * Target that says so); it never throws for one.
 */
export function compileRule(line: RuleLine, table: TableName, family: 4 | 6): Rule {
  void table;
  void family;
  throw new Error(`not yet: ${line.body}`);
}
