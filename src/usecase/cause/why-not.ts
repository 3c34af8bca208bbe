import type { Cause } from '../../trace/outcome.ts';
import type { Evidence, Site } from './evidence.ts';

/** What would have let the packet through; null where nothing more is known than the cause. */
export function whyNot(_evidence: Evidence, _site: Site, _cause: Cause): string | null {
  return null;
}
