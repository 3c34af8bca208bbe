import type { TraceEvent } from './event.ts';

/** What the client's socket would report. UDP and echo: connected = answered. */
export const VERDICTS = [
  'connected',
  'refused',
  'reset',
  'timeout',
  'host-unreachable',
  'network-unreachable',
  'message-too-long',
  'prohibited',
  'not-permitted',
  'invalid-argument',
  'unresolved',
  'unknown',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export const CAUSE_CODES = [
  'no-endpoints',
  'no-local-endpoints',
  'source-range',
  'load-balancer-pending',
  'no-healthy-node',
  'no-node-port',
  'port-not-listening',
  'port-not-in-service',
  'clusterip-not-pingable',
  'echo-ignored',
  'bridge-nf-off',
  'hairpin-off',
  'ip-forward-off',
  'rule-drop',
  'rule-reject',
  'policy-drop',
  'network-policy',
  'no-route',
  'route-unreachable',
  'route-prohibit',
  'route-blackhole',
  'no-route-back',
  'neighbour-failed',
  'no-such-address',
  'fdb-missing',
  'tunnel-blocked',
  'rp-filter',
  'martian-source',
  'own-source-address',
  'mtu-exceeded',
  'ttl-expired',
  'conntrack-invalid',
  'reply-not-translated',
  'connection-forgotten',
  'unknown-rule',
  'unresolved',
] as const;
export type CauseCode = (typeof CAUSE_CODES)[number];

export type Part = 'request' | 'reply' | 'ack' | 'data';

export interface Cause {
  readonly code: CauseCode;
  /** One sentence: what happened and which object, rule, route or setting decided it. */
  readonly text: string;
  /** Command lines or a patch of a manifest; null when it works as designed (the text says why). */
  readonly remedy: readonly string[] | null;
  readonly at: { readonly leg: number; readonly part: Part; readonly event: number } | null;
  /** The rule that would have let the packet through and the condition that failed, when there is one. */
  readonly whyNot?: string;
}

/** A further connection on the way: a DNS query, a proxy's second connection. */
export interface Leg {
  readonly purpose: 'resolve' | 'proxy' | 'probe' | 'tunnel' | 'before';
  readonly from: string;
  readonly to: string;
  /** What was asked for, or why the connection was made; absent where that goes without saying. */
  readonly text?: string;
  /** What came back, of a query or a probe. */
  readonly answer?: string;
  readonly verdict: Verdict;
  readonly request: readonly TraceEvent[];
  readonly reply: readonly TraceEvent[];
  readonly ack: readonly TraceEvent[];
}

export interface Outcome {
  readonly probability: number;
  readonly verdict: Verdict;
  /** Whose socket answered: "pod/default/web-1", "external/laptop", "node/node-1"; null if none. */
  readonly server: string | null;
  /** The client address the server saw; null if nothing arrived. */
  readonly source: string | null;
  /** HTTP only. */
  readonly status?: number;
  readonly cause: Cause | null;
  /** The packet's first part: see design section 6. */
  readonly request: readonly TraceEvent[];
  readonly reply: readonly TraceEvent[];
  readonly ack: readonly TraceEvent[];
  readonly data?: readonly TraceEvent[];
  /** Rules that all packets of it together were held against on their way, those of legs behind it included. */
  readonly rulesLookedAt?: number;
  readonly legs: readonly Leg[];
}
