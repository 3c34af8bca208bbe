import type { IpAddress } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { KernelEvent } from '../../trace/event.ts';
import type { HostName } from '../host.ts';
import type { KernelState } from '../state.ts';
import type { World } from '../world.ts';
import type { Choices } from './choices.ts';

/** A process opens a connection: connect() and the first exchange, a datagram and its answer, or an echo. */
export interface ConnectionRequest {
  readonly host: HostName;
  /** Whose process it is: "pod/default/client", "node/node-1". */
  readonly owner: string;
  readonly protocol: TransportProtocol | 'icmp';
  readonly destination: IpAddress;
  /** 0 for icmp. */
  readonly port: number;
  readonly sourcePort: number | null;
  /** bind() address. */
  readonly sourceAddress: IpAddress | null;
  /** Bytes of UDP or ICMP data (null: a few); on TCP a segment of that size is sent after the handshake (null: none). */
  readonly payload: number | null;
  readonly dontFragment: boolean | null;
  readonly ttl: number | null;
  /** Ends after the request has arrived or died. */
  readonly noReply: boolean;
}

export type ConnectionPart = 'request' | 'reply' | 'ack' | 'data' | 'other';

/** A drop or an error that the walk came to, in order. */
export interface Loss {
  readonly part: ConnectionPart;
  /** Index of the drop event in that part's events (when events are recorded). */
  readonly event: number;
  readonly host: HostName;
  /** The kernel's drop reason, as in the DropEvent. */
  readonly reason: string;
}

export type ConnectionVerdict =
  | 'connected' | 'refused' | 'reset' | 'timeout' | 'host-unreachable' | 'network-unreachable' | 'message-too-long' | 'prohibited'
  | 'not-permitted' | 'invalid-argument';

export interface ConnectionResult {
  readonly verdict: ConnectionVerdict;
  /** What the failing call reported: "ECONNREFUSED"; null when it did not fail. */
  readonly errno: string | null;
  /** Owner of the socket that answered (TCP: accepted the connection); null if none. */
  readonly server: string | null;
  /** Source address and port of the client as the server's socket saw it; null if nothing arrived. */
  readonly source: { readonly address: IpAddress; readonly port: number } | null;
  /** The source that connect() chose; null when it failed before. */
  readonly local: { readonly address: IpAddress; readonly port: number } | null;
  /** Rules that could not be evaluated and might have mattered, as text. */
  readonly unknownRules: readonly string[];
  readonly losses: readonly Loss[];
  readonly request: readonly KernelEvent[];
  readonly reply: readonly KernelEvent[];
  readonly ack: readonly KernelEvent[];
  readonly data: readonly KernelEvent[];
  /** Rules that were looked at on the way, matched or not. */
  readonly rulesLookedAt: number;
}

export interface ConnectionOptions {
  readonly world: World;
  /** Changed: conntrack entries, neighbours, counters stay in it. Fork it first to keep the old one. */
  readonly state: KernelState;
  readonly choices: Choices;
  /** false: verdicts only, no events. */
  readonly record: boolean;
}

/** Walks one connection to its end. Deterministic in its arguments. */
export function connect(request: ConnectionRequest, options: ConnectionOptions): ConnectionResult {
  void request;
  void options;
  throw new Error('not yet');
}
