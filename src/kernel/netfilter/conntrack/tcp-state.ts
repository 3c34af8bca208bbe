import { TCP_FLAG } from '../../../net/packet.ts';

/** enum tcp_conntrack, in its order. */
export type TcpState =
  | 'NONE'
  | 'SYN_SENT'
  | 'SYN_RECV'
  | 'ESTABLISHED'
  | 'FIN_WAIT'
  | 'CLOSE_WAIT'
  | 'LAST_ACK'
  | 'TIME_WAIT'
  | 'CLOSE'
  | 'SYN_SENT2';

const STATES: readonly TcpState[] = [
  'NONE',
  'SYN_SENT',
  'SYN_RECV',
  'ESTABLISHED',
  'FIN_WAIT',
  'CLOSE_WAIT',
  'LAST_ACK',
  'TIME_WAIT',
  'CLOSE',
  'SYN_SENT2',
];

type Kind = 'syn' | 'synack' | 'fin' | 'ack' | 'rst' | 'none';
type Cell = TcpState | 'INVALID' | 'IGNORE';

const SHORT: Readonly<Record<string, Cell>> = {
  NO: 'NONE',
  SS: 'SYN_SENT',
  SR: 'SYN_RECV',
  ES: 'ESTABLISHED',
  FW: 'FIN_WAIT',
  CW: 'CLOSE_WAIT',
  LA: 'LAST_ACK',
  TW: 'TIME_WAIT',
  CL: 'CLOSE',
  S2: 'SYN_SENT2',
  IV: 'INVALID',
  IG: 'IGNORE',
};

/** nf_conntrack_proto_tcp.c tcp_conntracks: a row a packet kind, a column a state. */
const TABLE: Readonly<Record<'original' | 'reply', Readonly<Record<Kind, string>>>> = {
  original: {
    syn: 'SS SS IG IG IG IG IG SS SS S2',
    synack: 'IV IV SR IV IV IV IV IV IV SR',
    fin: 'IV IV FW FW LA LA LA TW CL IV',
    ack: 'ES IV ES ES CW CW TW TW CL IV',
    rst: 'IV CL CL CL CL CL CL CL CL CL',
    none: 'IV IV IV IV IV IV IV IV IV IV',
  },
  reply: {
    syn: 'IV S2 IV IV IV IV IV SS IV S2',
    synack: 'IV SR IG IG IG IG IG IG IG SR',
    fin: 'IV IV FW FW LA LA LA TW CL IV',
    ack: 'IV IG SR ES CW CW TW TW CL IG',
    rst: 'IV CL CL CL CL CL CL CL CL CL',
    none: 'IV IV IV IV IV IV IV IV IV IV',
  },
};

/** get_conntrack_index */
function kindOf(flags: number): Kind {
  if (flags & TCP_FLAG.RST) return 'rst';
  if (flags & TCP_FLAG.SYN) return flags & TCP_FLAG.ACK ? 'synack' : 'syn';
  if (flags & TCP_FLAG.FIN) return 'fin';
  return flags & TCP_FLAG.ACK ? 'ack' : 'none';
}

const CELLS: Readonly<Record<'original' | 'reply', Readonly<Record<Kind, Readonly<Record<TcpState, Cell>>>>>> = {
  original: cellsOf(TABLE.original),
  reply: cellsOf(TABLE.reply),
};

function cellsOf(rows: Readonly<Record<Kind, string>>): Readonly<Record<Kind, Readonly<Record<TcpState, Cell>>>> {
  const cells = (row: string) => {
    const names = row.split(' ');
    return Object.fromEntries(STATES.map((state, column) => [state, SHORT[names[column]!]!])) as Record<TcpState, Cell>;
  };
  return {
    syn: cells(rows.syn),
    synack: cells(rows.synack),
    fin: cells(rows.fin),
    ack: cells(rows.ack),
    rst: cells(rows.rst),
    none: cells(rows.none),
  };
}

/** The state that a segment leads to; 'INVALID' and 'IGNORE' leave the entry as it is. */
export function nextTcpState(direction: 'original' | 'reply', state: TcpState, flags: number): TcpState | 'INVALID' | 'IGNORE' {
  return CELLS[direction][kindOf(flags)][state];
}

/** nf_conntrack_proto_tcp.c tcp_timeouts, milliseconds. */
export const TCP_TIMEOUT: Readonly<Record<TcpState, number>> = {
  NONE: 120_000,
  SYN_SENT: 120_000,
  SYN_RECV: 60_000,
  ESTABLISHED: 432_000_000,
  FIN_WAIT: 120_000,
  CLOSE_WAIT: 60_000,
  LAST_ACK: 30_000,
  TIME_WAIT: 120_000,
  CLOSE: 10_000,
  SYN_SENT2: 120_000,
};
