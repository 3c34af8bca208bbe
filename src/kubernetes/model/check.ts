import type { TransportProtocol } from '../../net/protocol.ts';
import type { ProxyMode, SourcePosition } from './cluster.ts';

/** A connection somebody asks about: from, to, and how the packet is made. References as written (design, section 4). */
export interface Probe {
  readonly from: string;
  readonly to: string;
  /** null: what `to` says (a service's port), else tcp. */
  readonly protocol: TransportProtocol | 'icmp' | null;
  readonly sourcePort: number | null;
  readonly sourceAddress: string | null;
  /** Bytes of UDP or ICMP data; on TCP a segment sent after the handshake. */
  readonly payload: number | null;
  /** true: IP_PMTUDISC_DO, false: IP_PMTUDISC_DONT, null: the kernel's default. */
  readonly dontFragment: boolean | null;
  readonly ttl: number | null;
  /** Pins random choices to the one that reaches this server. */
  readonly backend: string | null;
  readonly via: 'kubectl-proxy' | 'port-forward' | 'exec' | null;
}

export interface Check extends Probe {
  readonly name: string;
  /** Connections made first, whose state stays. */
  readonly before: readonly Probe[];
  readonly coldNeighbours: boolean;
  /** In place of the cluster's own. */
  readonly proxyMode?: ProxyMode;
  /** The name of an earlier check: one more packet of its connection, not a new one. From, to and ports are that check's. */
  readonly continues?: string;
  readonly expect: CheckExpectation;
  readonly position: SourcePosition | null;
}

/** Fields left out are not checked. */
export interface CheckExpectation {
  readonly verdict?: string;
  /** null: nobody answers. */
  readonly server?: string | null;
  readonly source?: string;
  readonly servers?: readonly string[];
  readonly cause?: string;
  readonly status?: number;
  readonly through?: readonly string[];
  readonly notThrough?: readonly string[];
}
