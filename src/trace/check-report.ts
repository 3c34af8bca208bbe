import type { Outcome } from './outcome.ts';

/** What one expectation of a check said and what was found. */
export interface Expectation {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly actual: string;
}

export interface CheckResult {
  readonly name: string;
  /** The step it belongs to; left out: before the first one. */
  readonly step?: string;
  readonly file: string;
  /** 1-based; 0 when not known. */
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
  readonly ok: boolean;
  readonly expectations: readonly Expectation[];
  /** Set when the check could not be run: unknown reference, refused command. */
  readonly error?: string;
  readonly outcomes: readonly Outcome[];
  readonly assumptions: readonly string[];
}

export interface CheckReport {
  readonly apiVersion: 'k8snet/v1';
  readonly kind: 'CheckReport';
  readonly passed: number;
  readonly failed: number;
  readonly checks: readonly CheckResult[];
}
