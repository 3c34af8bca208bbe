import type { Verdict } from './outcome.ts';

/** Where a simulated and an observed connection part. Lines are in order; `at` is the first that differs. */
export interface LabDifference {
  readonly what: 'verdict' | 'server' | 'source' | 'rules' | 'devices';
  /** "request on node/node-1"; null where it is about the connection as a whole. */
  readonly where: string | null;
  readonly simulated: readonly string[];
  readonly observed: readonly string[];
  readonly at: number;
}

/** What a real kernel did with a check's connection, and whether the simulation says the same. */
export interface LabCheck {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly agrees: boolean;
  /** As observed; null when the check could not be run. */
  readonly verdict: Verdict | null;
  readonly server: string | null;
  readonly source: string | null;
  /** How likely the simulation holds the way that the kernel took, or the way that comes nearest to it. */
  readonly probability: number;
  readonly difference: LabDifference | null;
  /** Which of the connections made before the check's own differs, from 1; null: its own. */
  readonly before: number | null;
  /** Why the check could not be run. */
  readonly error?: string;
}

/** What `k8snet lab verify` found. */
export interface LabReport {
  readonly apiVersion: 'k8snet/v1';
  readonly kind: 'LabReport';
  /** Release of the kernel that was asked: "6.18.44". */
  readonly kernel: string;
  readonly agreed: number;
  readonly differing: number;
  readonly checks: readonly LabCheck[];
}
