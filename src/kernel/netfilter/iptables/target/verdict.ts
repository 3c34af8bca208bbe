import type { TargetModule } from './module.ts';

/** The targets that are verdicts and take no options. */
export const verdicts: readonly TargetModule[] = (
  [
    ['ACCEPT', 'accept'],
    ['DROP', 'drop'],
    ['RETURN', 'return'],
  ] as const
).map(([name, kind]) => ({ name, options: [], build: () => ({ text: '', action: { kind } }) }));
