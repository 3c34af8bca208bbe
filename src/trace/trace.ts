import type { Outcome } from './outcome.ts';

export const API_VERSION = 'k8snet/v1';

/** The answer to one question, as `-o json` prints it. */
export interface Trace {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Trace';
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  /** The packet fully resolved, for the first line of the text view. */
  readonly packet: {
    readonly source: string;
    readonly sport: number | null;
    readonly destination: string;
    readonly dport: number | null;
  } | null;
  /** How the cluster was set up: "flannel vxlan", "iptables". */
  readonly network: { readonly cni: string; readonly proxyMode: string };
  readonly assumptions: readonly string[];
  /** What is worth knowing of the way as a whole: what was not on it. */
  readonly notes?: readonly string[];
  /** What is given but not modelled, said in the verdict. */
  readonly notModelled: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** True when there were more branches than 256, or than can be walked in a second or so, and they were sampled. */
  readonly sampled: boolean;
}

export interface TraceList {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'TraceList';
  readonly items: readonly Trace[];
}

export type DetailLevel = 'summary' | 'hops' | 'rules';
