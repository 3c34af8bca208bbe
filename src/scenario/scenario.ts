import type { Check } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from './diagnostic.ts';

/** A file as the command line read it. `name` is shown in messages and is the base of relative paths. */
export interface InputFile {
  readonly name: string;
  readonly text: string;
}

/** Everything an input says. */
export interface Scenario {
  readonly cluster: Cluster;
  readonly checks: readonly Check[];
  /** What was assumed where the input is silent; told in traces where it acts. */
  readonly assumptions: readonly string[];
  /** Warnings and notes; never errors. */
  readonly diagnostics: readonly Diagnostic[];
}

export type ScenarioResult =
  | { readonly ok: true; readonly scenario: Scenario }
  /** Errors only. */
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads a file that a scenario names (iptablesSave), relative to the file that names it; null when it can't be read. */
export type ReadFile = (path: string, relativeTo: string) => string | null;
