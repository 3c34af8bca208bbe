import { MOST_COUNTED } from '../../trace/topology.ts';
import type { TopologyChain } from '../../trace/topology.ts';

/** A rule of a base chain: whose it is, and how many rules stand behind its jump. */
export interface CountedRule {
  readonly by: string;
  readonly behind: number;
}

/** Adds up the rules of a base chain by their makers, in the order in which these first appear. */
export function makersOf(rules: readonly CountedRule[]): Pick<TopologyChain, 'rules' | 'behind' | 'makers'> {
  const byMaker = new Map<string, { rules: number; behind: number }>();
  for (const { by, behind } of rules) {
    const sum = byMaker.get(by) ?? { rules: 0, behind: 0 };
    byMaker.set(by, { rules: sum.rules + 1, behind: sum.behind + behind });
  }
  return {
    rules: rules.length,
    behind: Math.min(
      rules.reduce((sum, { behind }) => sum + behind, 0),
      MOST_COUNTED,
    ),
    makers: [...byMaker].map(([by, sums]) => ({ by, ...sums })),
  };
}
