import { TCP_FLAG } from '../../net/packet.ts';

/** States of a TCP connection of IPVS (enum of ip_vs_proto_tcp.c), in the order of its table. */
// biome-ignore format: a table reads better in rows
const STATES = [
  'NONE', 'ESTABLISHED', 'SYN_SENT', 'SYN_RECV', 'FIN_WAIT', 'TIME_WAIT', 'CLOSE', 'CLOSE_WAIT', 'LAST_ACK', 'LISTEN', 'SYNACK',
] as const;

export type IpvsTcpState = (typeof STATES)[number];

/** Which way a packet goes: from the client in to the real server, or out again. */
export type IpvsDirection = 'in' | 'out';

type Kind = 'syn' | 'fin' | 'ack' | 'rst';

const SHORT: Readonly<Record<string, IpvsTcpState>> = {
  NO: 'NONE',
  ES: 'ESTABLISHED',
  SS: 'SYN_SENT',
  SR: 'SYN_RECV',
  FW: 'FIN_WAIT',
  TW: 'TIME_WAIT',
  CL: 'CLOSE',
  CW: 'CLOSE_WAIT',
  LA: 'LAST_ACK',
  LI: 'LISTEN',
  SA: 'SYNACK',
};

/** ip_vs_proto_tcp.c tcp_states: a row a packet kind, a column a state. */
const TABLE: Readonly<Record<IpvsDirection, Readonly<Record<Kind, string>>>> = {
  in: {
    syn: 'SR ES ES SR SR SR SR SR SR SR SR',
    fin: 'CL CW SS TW TW TW CL CW LA LI TW',
    ack: 'CL ES SS ES FW TW CL CW CL LI ES',
    rst: 'CL CL CL SR CL CL CL CL LA LI SR',
  },
  out: {
    syn: 'SS ES SS SR SS SS SS SS SS LI SR',
    fin: 'TW FW SS TW FW TW CL TW LA LI TW',
    ack: 'ES ES SS ES FW TW CL CW LA ES ES',
    rst: 'CL CL SS CL CL TW CL CL CL CL CL',
  },
};

/** tcp_state_idx: null leaves the state as it is. */
function kindOf(flags: number): Kind | null {
  if (flags & TCP_FLAG.RST) return 'rst';
  if (flags & TCP_FLAG.SYN) return 'syn';
  if (flags & TCP_FLAG.FIN) return 'fin';
  return flags & TCP_FLAG.ACK ? 'ack' : null;
}

/** The state that a segment leads to (set_tcp_state). */
export function nextIpvsTcpState(direction: IpvsDirection, state: IpvsTcpState, flags: number): IpvsTcpState {
  const kind = kindOf(flags);
  if (kind === null) return 'CLOSE';
  return SHORT[TABLE[direction][kind].split(' ')[STATES.indexOf(state)] ?? ''] ?? 'CLOSE';
}

/** tcp_timeouts, milliseconds. */
const TCP_TIMEOUT: Readonly<Record<IpvsTcpState, number>> = {
  NONE: 2_000,
  ESTABLISHED: 900_000,
  SYN_SENT: 120_000,
  SYN_RECV: 60_000,
  FIN_WAIT: 120_000,
  TIME_WAIT: 120_000,
  CLOSE: 10_000,
  CLOSE_WAIT: 60_000,
  LAST_ACK: 30_000,
  LISTEN: 120_000,
  SYNACK: 120_000,
};

/** udp_timeouts, sctp_timeouts, milliseconds. */
const DATAGRAM_TIMEOUT = 300_000;

/** What `ipvsadm --set` changes, in milliseconds (ip_vs_set_timeout); left out: as the kernel has it. */
export interface IpvsTimeouts {
  readonly tcp?: number;
  readonly tcpFin?: number;
  readonly udp?: number;
}

/** Milliseconds after which a connection is forgotten. */
export function ipvsTimeout(protocol: string, state: IpvsTcpState, { tcp, tcpFin, udp }: IpvsTimeouts = {}): number {
  if (protocol !== 'tcp') return (protocol === 'udp' ? udp : undefined) ?? DATAGRAM_TIMEOUT;
  const changed = state === 'ESTABLISHED' ? tcp : state === 'FIN_WAIT' ? tcpFin : undefined;
  return changed ?? TCP_TIMEOUT[state];
}
