import type { Check } from '../kubernetes/model/check.ts';
import { nearest } from '../support/nearest.ts';
import { didYouMean } from './refs/lookup.ts';
import { found, refused } from './refs/ref.ts';
import type { Result } from './refs/ref.ts';

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
