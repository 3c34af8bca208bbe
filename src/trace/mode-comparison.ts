import type { Trace } from './trace.ts';

/** What modes of kube-proxy may differ in. */
export type DifferenceAspect = 'verdict' | 'server' | 'source' | 'decision' | 'rules' | 'connections';

/** How some modes differ from others, and why. */
export interface ModeDifference {
  readonly aspect: DifferenceAspect;
  /** Whom it is about, as `network.proxyMode` names them. */
  readonly modes: readonly string[];
  readonly text: string;
}

/** One packet under several modes of kube-proxy. */
export interface ModeComparison {
  /** One for each mode. */
  readonly traces: readonly Trace[];
  readonly differences: readonly ModeDifference[];
}
