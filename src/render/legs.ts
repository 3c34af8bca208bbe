import type { Leg } from '../trace/outcome.ts';

/** Queries, probes and earlier connections are over when the asked one is made; processes pass it on behind it. */
export function isAhead({ purpose }: Leg): boolean {
  return purpose === 'before' || purpose === 'resolve' || purpose === 'probe';
}
