import type { ConntrackView } from './view.ts';
import type { SctpState } from './sctp-state.ts';
import type { TcpState } from './tcp-state.ts';
import type { Tuple } from './tuple.ts';

export type Direction = 'original' | 'reply';

/** A connection that is tracked (struct nf_conn). */
export interface ConntrackEntry {
  readonly original: Tuple;
  /** Altered by NAT while the entry is unconfirmed. */
  reply: Tuple;
  /** In the table: its first packet has passed the last hook. */
  confirmed: boolean;
  seenReply: boolean;
  assured: boolean;
  /** IPS_SRC_NAT, IPS_DST_NAT: addresses or ports are really changed. */
  snat: boolean;
  dnat: boolean;
  /** IPS_SRC_NAT_DONE, IPS_DST_NAT_DONE: nat chains have had their say. */
  snatDone: boolean;
  dnatDone: boolean;
  mark: number;
  tcp: TcpState;
  sctp: SctpState;
  /** Clock time at which it expires. */
  expires: number;
  /** Device a masquerading connection leaves by (nf_conn_nat.masq_index). */
  masqueradeDevice: string | null;
  /** A port was drawn at random. */
  randomPort: boolean;
}

/** enum ip_conntrack_info of a packet. */
export type ConntrackInfo = 'NEW' | 'ESTABLISHED' | 'RELATED';

/** A packet's reference to its entry (skb->_nfct). */
export interface ConntrackReference {
  readonly entry: ConntrackEntry;
  readonly direction: Direction;
  readonly info: ConntrackInfo;
}

export function newEntry(original: Tuple, reply: Tuple): ConntrackEntry {
  return {
    original,
    reply,
    confirmed: false,
    seenReply: false,
    assured: false,
    snat: false,
    dnat: false,
    snatDone: false,
    dnatDone: false,
    mark: 0,
    tcp: 'NONE',
    sctp: 'NONE',
    expires: 0,
    masqueradeDevice: null,
    randomPort: false,
  };
}

/** The tuple of a direction. */
export function tupleIn(entry: ConntrackEntry, direction: Direction): Tuple {
  return direction === 'original' ? entry.original : entry.reply;
}

export function opposite(direction: Direction): Direction {
  return direction === 'original' ? 'reply' : 'original';
}

/** What matches see of a packet's entry. */
export function viewOf(reference: ConntrackReference | null, untracked: boolean, now: number): ConntrackView {
  if (untracked) return UNTRACKED;
  return reference ? new EntryView(reference, now) : INVALID;
}

const UNTRACKED: ConntrackView = { state: 'UNTRACKED' };
const INVALID: ConntrackView = { state: 'INVALID' };

/** Reads what is asked for: of all there is to an entry a rule looks at one thing. */
class EntryView {
  readonly #reference: ConntrackReference;
  readonly #now: number;

  constructor(reference: ConntrackReference, now: number) {
    this.#reference = reference;
    this.#now = now;
  }

  get state() {
    return this.#reference.info;
  }
  get direction() {
    return this.#reference.direction;
  }
  get original() {
    return this.#reference.entry.original;
  }
  get reply() {
    return this.#reference.entry.reply;
  }
  get snat() {
    return this.#reference.entry.snat;
  }
  get dnat() {
    return this.#reference.entry.dnat;
  }
  get seenReply() {
    return this.#reference.entry.seenReply;
  }
  get assured() {
    return this.#reference.entry.assured;
  }
  get confirmed() {
    return this.#reference.entry.confirmed;
  }
  get expected() {
    return false;
  }
  get mark() {
    return this.#reference.entry.mark;
  }
  get expires() {
    return Math.max(0, this.#reference.entry.expires - this.#now);
  }
}
