import type { Check } from '../../kubernetes/model/check.ts';
import { nearest } from '../../support/nearest.ts';
import type { Problems } from '../reading/problems.ts';
import type { Step } from '../scenario.ts';

/**
 * Gives checks that continue an earlier one what they take from it, and tells of those whose name no earlier check has. `first`: the
 * scenario's own checks.
 */
export function linkChecks(
  first: readonly Check[],
  steps: readonly Step[],
  problems: Problems,
): { readonly first: readonly Check[]; readonly steps: readonly Step[] } {
  const earlier = new Map<string, Check>();
  const link = (check: Check): Check => {
    if (check.proxyMode !== undefined && steps.length > 0) {
      const hint = 'With "steps" all checks run over one state, which is that of one mode';
      problems.error('wrong-key', '"proxyMode" has no place in a scenario with "steps"', check.position, hint);
    }
    const linked = check.continues === undefined ? check : continued(check, check.continues, earlier, steps.length > 0, problems);
    earlier.set(check.name, linked);
    return linked;
  };
  return { first: first.map(link), steps: steps.map((step) => ({ ...step, checks: step.checks.map(link) })) };
}

function continued(
  check: Check,
  name: string,
  earlier: ReadonlyMap<string, Check>,
  hasSteps: boolean,
  problems: Problems,
): Check {
  const found = earlier.get(name);
  if (!hasSteps) {
    const hint = 'Checks of a scenario without "steps" are independent of each other';
    problems.error('wrong-key', '"continues" needs "steps"', check.position, hint);
  } else if (found === undefined) {
    const like = nearest(name, earlier.keys());
    const hint = like === null ? undefined : `Did you mean "${like}"?`;
    problems.error('unknown-check', `No earlier check is named "${name}"`, check.position, hint);
  }
  if (found === undefined) return check;
  const { from, to, protocol, sourcePort, sourceAddress, backend, via } = found;
  return { ...check, from, to, protocol, sourcePort, sourceAddress, backend, via };
}
