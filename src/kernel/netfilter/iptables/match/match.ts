import type { MatchContext } from '../context.ts';

/** Does a match hold for a packet? 'unknown': k8snet can't tell. */
export type MatchTest = (context: MatchContext) => boolean | 'unknown';

/** A compiled match of a rule. */
export interface Match {
  /** Module name ("comment", "tcp", "set"); "" for the base options -s -d -i -o -p -f. */
  readonly module: string;
  /** As iptables-save prints it, module name included: "-m tcp --dport 80", "! -s 10.0.0.0/8". */
  readonly text: string;
  /**
   * Does it hold for this packet? 'unknown': k8snet can't tell (a module or option it does not model). May draw a choice or
   * change per-rule state (statistic, recent, limit) through the context.
   */
  readonly test: MatchTest;
  /** True when the rule can't be evaluated without what k8snet doesn't model. */
  readonly unknown?: true;
  /** True when evaluating it draws a choice or changes state of the rule. */
  readonly stateful?: true;
}
