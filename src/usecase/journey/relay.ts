import type { IpAddress } from '../../net/ip.ts';
import type { Choices } from '../../kernel/walk/choices.ts';
import { indexOf } from './index-of.ts';
import type { ConnectionResult } from '../../kernel/walk/connection.ts';
import type { KernelState } from '../../kernel/state.ts';
import type { Cluster, Pod } from '../../kubernetes/model/cluster.ts';
import type { Verdict } from '../../trace/outcome.ts';
import type { Server } from '../refs/server.ts';
import type { HttpRequest } from './http.ts';
import { adapted, arrived, connectTo, end } from './step.ts';
import type { Ending, Move, Step } from './step.ts';

/** The socket that took a connection, as the packets at its host name it. */
export type Answering = NonNullable<ConnectionResult['answering']>;

/** A process has taken a connection. */
export interface Arrival {
  readonly cluster: Cluster;
  /** In order: the first that knows the process decides. */
  readonly relays: readonly Relay[];
  readonly step: Step;
  readonly result: ConnectionResult;
  /** What the client asks for over it; null: nothing that a proxy would look at. */
  readonly http: HttpRequest | null;
  /** Pins the last choice. */
  readonly pin: Server | null;
  readonly choices: Choices;
  /** What the connections before have left behind, and what processes keep of them. */
  readonly state: KernelState;
  /** How many processes have passed it on already. */
  readonly relayed: number;
}

/** A kind of process that passes on what it gets by a connection of its own; null: this one does not. */
export type Relay = (arrival: Arrival, answering: Answering) => Move | null;

/** Processes that a connection is passed on by at most: a proxy that is its own backend would go on for ever. */
const MOST_RELAYED = 8;

/** What becomes of a connection once it has ended: it is passed on, or that was all. */
export function passOn(arrival: Arrival): Move {
  const { answering } = arrival.result;
  if (answering === null || !arrived(arrival.step, arrival.result) || arrival.relayed >= MOST_RELAYED)
    return end({ answered: 'last' });
  for (const relay of arrival.relays) {
    const move = relay(arrival, answering);
    if (move !== null) return move;
  }
  return end({ answered: 'last' });
}

/** Where a process connects to, and what it makes of how that ends. */
export interface Onward {
  readonly purpose: 'proxy' | 'tunnel';
  /** "svc/shop/cart:80", "pod/default/web-1:8080" */
  readonly label: string;
  readonly address: IpAddress;
  readonly port: number;
  readonly pod: Pod | null;
  /** Why: told where the process takes the connection. */
  readonly text: string;
  /** Where it comes from; a real kernel draws the port. */
  readonly sourcePort?: number;
  /** What the process keeps of it. */
  readonly remember?: (state: KernelState) => void;
  /** What the process does where this connection fails, in place of telling the client. */
  readonly retry?: (choices: Choices, state: KernelState) => Move;
  /** What the client is told where this connection fails. */
  readonly failed: (verdict: Verdict) => Partial<Ending>;
  /** What the client is told where it goes well. */
  readonly ending?: Partial<Ending>;
}

/** The process that took a connection makes one of its own, over the same protocol, from its own namespace. */
export function connectOnward(arrival: Arrival, answering: Answering, to: Onward): Move {
  const { step, cluster } = arrival;
  const { host, owner } = answering;
  const index = indexOf(cluster);
  const pod = index.pod(owner.replace(/^pod\//, '')) ?? null;
  const node = index.node(host.replace(/^node\//, ''));
  const next: Step = {
    purpose: to.purpose,
    text: to.text,
    pin: arrival.pin,
    source: { label: owner, host, owner, addresses: pod?.addresses ?? node?.addresses ?? [], bind: null, pod, assumptions: [] },
    destination: {
      label: to.label,
      address: to.address,
      port: to.port,
      protocol: step.request.protocol,
      pod: to.pod,
      assumptions: [],
    },
    request: {
      host,
      owner,
      protocol: step.request.protocol,
      destination: to.address,
      port: to.port,
      sourcePort: to.sourcePort ?? FIRST_PORT + arrival.relayed,
      sourceAddress: null,
      payload: step.request.payload,
      dontFragment: null,
      ttl: null,
      noReply: step.request.noReply,
    },
    ...(to.remember && { remember: to.remember }),
    next: (result, choices, state) => {
      // The process answers itself, on the connection that it has taken.
      const answered = step.request;
      if (!arrived(next, result)) return to.retry?.(choices, state) ?? end({ answered, ...to.failed(result.verdict) });
      const move = passOn({ ...arrival, step: next, result, choices, state, relayed: arrival.relayed + 1 });
      return adapted(move, (ending) => endingBefore(ending, to, answered));
    },
  };
  return connectTo(next);
}

/** What the client of a process sees, given what the process itself saw: what went wrong behind it is told by its own answer. */
function endingBefore(ending: Ending, { failed, retry, ending: own }: Onward, answered: Ending['answered']): Ending {
  const { verdict } = ending;
  if (verdict === null || verdict === 'connected') return { ...ending, status: ending.status ?? own?.status ?? null };
  // A process that can only dial again has no answer of its own once its connection stood.
  return retry === undefined ? { ...ending, verdict: null, answered, ...failed(verdict) } : ending;
}

/** Ports of a proxy's own connections; a real kernel draws them at random. */
const FIRST_PORT = 45000;
