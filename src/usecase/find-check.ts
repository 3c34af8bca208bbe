import type { Check } from '../kubernetes/model/check.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { nearest } from '../support/nearest.ts';
import { didYouMean } from './refs/lookup.ts';
import { found, refused } from './refs/ref.ts';
import type { Result } from './refs/ref.ts';

/** A scenario's checks in the order in which they run, those of its steps included. */
export function allChecks({ checks, steps }: Scenario): readonly Check[] {
  return [...checks, ...steps.flatMap((step) => step.checks)];
}

/** The check that `--check` names: by its name, or by its number from 1 on. A name wins over a number. */
export function findCheck(checks: readonly Check[], text: string): Result<Check> {
  const named = checks.find((check) => check.name === text);
  if (named) return found(named);
  if (/^\d+$/.test(text)) {
    const numbered = checks[Number(text) - 1];
    return numbered
      ? found(numbered)
      : refused(`no check ${text}; there ${checks.length === 1 ? 'is 1' : `are ${checks.length}`}`);
  }
  const names = checks.map((check) => check.name);
  return refused(`no check "${text}"${didYouMean(nearest(text, names), names)}`);
}
