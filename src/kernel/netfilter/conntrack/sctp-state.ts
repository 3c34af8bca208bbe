import { SCTP_CHUNK } from '../../../net/sctp.ts';

/** enum sctp_conntrack, in its order. */
export type SctpState =
  | 'NONE'
  | 'CLOSED'
  | 'COOKIE_WAIT'
  | 'COOKIE_ECHOED'
  | 'ESTABLISHED'
  | 'SHUTDOWN_SENT'
  | 'SHUTDOWN_RECD'
  | 'SHUTDOWN_ACK_SENT'
  | 'HEARTBEAT_SENT';

const STATES: readonly SctpState[] = [
  'NONE',
  'CLOSED',
  'COOKIE_WAIT',
  'COOKIE_ECHOED',
  'ESTABLISHED',
  'SHUTDOWN_SENT',
  'SHUTDOWN_RECD',
  'SHUTDOWN_ACK_SENT',
  'HEARTBEAT_SENT',
];

const SHORT: Readonly<Record<string, SctpState | 'INVALID'>> = {
  CL: 'CLOSED',
  CW: 'COOKIE_WAIT',
  CE: 'COOKIE_ECHOED',
  ES: 'ESTABLISHED',
  SS: 'SHUTDOWN_SENT',
  SR: 'SHUTDOWN_RECD',
  SA: 'SHUTDOWN_ACK_SENT',
  HS: 'HEARTBEAT_SENT',
  IV: 'INVALID',
};

const HEARTBEAT = 4;
const HEARTBEAT_ACK = 5;

/** nf_conntrack_proto_sctp.c sctp_conntracks: a row a chunk type, a column a state. */
const TABLE: Readonly<Record<'original' | 'reply', ReadonlyMap<number, readonly string[]>>> = {
  original: rows([
    [SCTP_CHUNK.INIT, 'CL CL CW CE ES CL CL SA CW'],
    [SCTP_CHUNK.INIT_ACK, 'CL CL CW CE ES SS SR SA CL'],
    [SCTP_CHUNK.ABORT, 'CL CL CL CL CL CL CL CL CL'],
    [SCTP_CHUNK.SHUTDOWN, 'CL CL CW CE SS SS SR SA CL'],
    [SCTP_CHUNK.SHUTDOWN_ACK, 'SA CL CW CE ES SA SA SA SA'],
    [SCTP_CHUNK.ERROR, 'CL CL CW CE ES SS SR SA CL'],
    [SCTP_CHUNK.COOKIE_ECHO, 'CL CL CE CE ES SS SR SA CL'],
    [SCTP_CHUNK.COOKIE_ACK, 'CL CL CW ES ES SS SR SA CL'],
    [SCTP_CHUNK.SHUTDOWN_COMPLETE, 'CL CL CW CE ES SS SR CL CL'],
    [HEARTBEAT, 'HS CL CW CE ES SS SR SA HS'],
    [HEARTBEAT_ACK, 'CL CL CW CE ES SS SR SA HS'],
  ]),
  reply: rows([
    [SCTP_CHUNK.INIT, 'IV CL CW CE ES SS SR SA IV'],
    [SCTP_CHUNK.INIT_ACK, 'IV CW CW CE ES SS SR SA IV'],
    [SCTP_CHUNK.ABORT, 'IV CL CL CL CL CL CL CL IV'],
    [SCTP_CHUNK.SHUTDOWN, 'IV CL CW CE SR SS SR SA IV'],
    [SCTP_CHUNK.SHUTDOWN_ACK, 'IV CL CW CE ES SA SA SA IV'],
    [SCTP_CHUNK.ERROR, 'IV CL CW CL ES SS SR SA IV'],
    [SCTP_CHUNK.COOKIE_ECHO, 'IV CL CE CE ES SS SR SA IV'],
    [SCTP_CHUNK.COOKIE_ACK, 'IV CL CW ES ES SS SR SA IV'],
    [SCTP_CHUNK.SHUTDOWN_COMPLETE, 'IV CL CW CE ES SS SR CL IV'],
    [HEARTBEAT, 'IV CL CW CE ES SS SR SA HS'],
    [HEARTBEAT_ACK, 'IV CL CW CE ES SS SR SA ES'],
  ]),
};

function rows(table: readonly (readonly [number, string])[]): ReadonlyMap<number, readonly string[]> {
  return new Map(table.map(([chunk, row]) => [chunk, row.split(' ')]));
}

/** sctp_new_state: where a chunk leads; DATA, SACK and the like change nothing. */
export function nextSctpState(direction: 'original' | 'reply', state: SctpState, chunk: number): SctpState | 'INVALID' {
  const row = TABLE[direction].get(chunk);
  return row === undefined ? state : SHORT[row[STATES.indexOf(state)]!]!;
}

/**
 * May a packet begin an entry (nf_conntrack_sctp_packet on an unconfirmed one, sctp_new)? An ABORT, a COOKIE-ACK or the end of a shutdown
 * out of the blue may not, nor what leads to no state.
 */
export function opensSctpEntry(chunk: number): boolean {
  const discarded: readonly number[] = [SCTP_CHUNK.ABORT, SCTP_CHUNK.SHUTDOWN_COMPLETE, SCTP_CHUNK.COOKIE_ACK];
  return !discarded.includes(chunk) && nextSctpState('original', 'NONE', chunk) !== 'NONE';
}

/** nf_conntrack_proto_sctp.c sctp_timeouts, milliseconds. */
export const SCTP_TIMEOUT: Readonly<Record<SctpState, number>> = {
  NONE: 10_000,
  CLOSED: 10_000,
  COOKIE_WAIT: 3_000,
  COOKIE_ECHOED: 3_000,
  ESTABLISHED: 210_000,
  SHUTDOWN_SENT: 3_000,
  SHUTDOWN_RECD: 3_000,
  SHUTDOWN_ACK_SENT: 3_000,
  HEARTBEAT_SENT: 30_000,
};
