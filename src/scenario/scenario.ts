import type { Check } from '../kubernetes/model/check.ts';
import type { Cluster, CommandLine, SourcePosition } from '../kubernetes/model/cluster.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Diagnostic } from './diagnostic.ts';

/** A file as the command line read it. `name` is shown in messages and is the base of relative paths. */
export interface InputFile {
  readonly name: string;
  readonly text: string;
}

/** An operator's command on one host: "node/NAME", "pod/NAMESPACE/NAME", "external/NAME" or "underlay". */
export interface HostCommand {
  readonly host: string;
  readonly line: CommandLine;
}

/** Something with a network namespace, or with processes in one, that ended in a step, even if another of its name began there. */
export interface Ended {
  /** "node/NAME", "pod/NAMESPACE/NAME", "external/NAME" */
  readonly name: string;
  readonly addresses: readonly IpAddress[];
  /** A hostNetwork pod: its processes ended, the namespace is the node's. */
  readonly hostNetwork: boolean;
}

/** A change of the cluster, and what is checked after it. */
export interface Step {
  readonly name: string;
  /** Milliseconds that pass first. */
  readonly after: number;
  /** The cluster as it is after the step, but for `commands`. Commands of its own that ran in an earlier step say so. */
  readonly cluster: Cluster;
  readonly ended: readonly Ended[];
  /** What operators have done in this step and in those before, in order, where it is still to be seen. */
  readonly commands: readonly HostCommand[];
  readonly checks: readonly Check[];
  readonly position: SourcePosition;
}

/** Everything an input says. */
export interface Scenario {
  readonly cluster: Cluster;
  /** Of the cluster as it is at first. With steps all checks run in order over one state, without they are independent. */
  readonly checks: readonly Check[];
  readonly steps: readonly Step[];
  /** What was assumed where the input is silent; told in traces where it acts. */
  readonly assumptions: readonly string[];
  /** Warnings and notes; never errors. */
  readonly diagnostics: readonly Diagnostic[];
}

export type ScenarioResult =
  | { readonly ok: true; readonly scenario: Scenario }
  /** Errors only. */
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads a file that a scenario names (iptablesSave, nftRuleset), relative to the file that names it; null when it can't be read. */
export type ReadFile = (path: string, relativeTo: string) => string | null;
