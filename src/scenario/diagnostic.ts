import type { SourcePosition } from '../kubernetes/model/cluster.ts';

/** A problem of the input. Errors stop the run (exit code 2), warnings are told on stderr, notes too. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  /** Stable, kebab-case: "unknown-key", "overlapping-ranges". */
  readonly code: string;
  readonly message: string;
  readonly position: SourcePosition | null;
  /** What was expected, or the nearest right spelling. */
  readonly hint?: string;
}
