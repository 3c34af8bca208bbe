import type { Choices } from '../../kernel/walk/choices.ts';
import type { ConnectionRequest, ConnectionResult } from '../../kernel/walk/connection.ts';
import type { KernelState } from '../../kernel/state.ts';
import type { Cause, Leg, Verdict } from '../../trace/outcome.ts';
import type { Made, Script } from '../explore.ts';
import type { Plan } from '../plan.ts';

/**
 * One connection of a journey. A question is about one connection, "asked"; on its way others may be made: queries for a name ahead of
 * it, those of processes that pass on what they got behind it. Each is walked as any connection is.
 */
export interface Step extends Plan {
  readonly purpose: 'asked' | Leg['purpose'];
  /** What was asked for, or why the connection is made: told with the leg. */
  readonly text: string | null;
  /** What its server says, where the connection gets there and back. */
  readonly answer?: (result: ConnectionResult) => string;
  /** What is done once the connection is over. */
  readonly next: (result: ConnectionResult, choices: Choices, state: KernelState) => Move;
  readonly remember?: (state: KernelState) => void;
}

export type Move = { readonly kind: 'connect'; readonly step: Step } | { readonly kind: 'end'; readonly ending: Ending };

/** How a journey ended. */
export interface Ending {
  /** null: as the asked connection did. */
  readonly verdict: Verdict | null;
  /** Whose server and source are told: those of the asked connection, of the last one that was made, or of this one. */
  readonly answered: 'asked' | 'last' | ConnectionRequest;
  /** Who did what was asked for, where no connection reaches it: a process that is started in a pod. */
  readonly server: string | null;
  /** HTTP only. */
  readonly status: number | null;
  /** What no connection failed for, but the journey as a whole; `at` is not looked at. null: the cause is found in the walks. */
  readonly cause: Omit<Cause, 'at'> | null;
  /** What the walk took for an answer was none: the process that got the packet never sent it. */
  readonly unanswered?: true;
  /** What was assumed on the way. */
  readonly assumptions: readonly string[];
  /** What is worth saying of the way as a whole. */
  readonly notes: readonly string[];
}

/** The first move, of which all others follow. */
export type Start = (choices: Choices, state: KernelState) => Move;

export function connectTo(step: Step): Move {
  return { kind: 'connect', step };
}

const AS_ASKED: Ending = {
  verdict: null,
  answered: 'asked',
  server: null,
  status: null,
  cause: null,
  assumptions: [],
  notes: [],
};

/** As the asked connection ended, but for what is said otherwise. */
export function end(ending: Partial<Ending> = {}): Move {
  return { kind: 'end', ending: { ...AS_ASKED, ...ending } };
}

/** A move whose journey ends otherwise, whatever is made until then: `adapt` is told how it would have ended. */
export function adapted(move: Move, adapt: (ending: Ending) => Ending): Move {
  if (move.kind === 'end') return { kind: 'end', ending: adapt(move.ending) };
  const { step } = move;
  return connectTo({ ...step, next: (result, choices, state) => adapted(step.next(result, choices, state), adapt) });
}

/** A move at whose end there is more to say. */
export function remarked(move: Move, { notes, assumptions }: Pick<Ending, 'notes' | 'assumptions'>): Move {
  if (notes.length + assumptions.length === 0) return move;
  return adapted(move, (ending) => ({
    ...ending,
    notes: [...notes, ...ending.notes],
    assumptions: [...assumptions, ...ending.assumptions],
  }));
}

/** Did the connection do what was wanted of it? Where only requests are followed: it got to somebody. */
export function arrived({ request }: Pick<Step, 'request'>, result: ConnectionResult): boolean {
  return result.verdict === 'connected' || (request.noReply && result.server !== null);
}

/** Connections that are made first, whatever comes of them. */
export function afterwards(before: readonly Start[], start: Start): Start {
  return before.reduceRight<Start>(
    (then, first) => (choices, state) => andThen(first(choices, state), then, choices, state),
    start,
  );
}

function andThen(move: Move, then: Start, choices: Choices, state: KernelState): Move {
  return move.kind === 'end' ? then(choices, state) : connectTo(ahead(move.step, then));
}

/** A connection with all that come of it, and then something else. */
function ahead(step: Step, then: Start): Step {
  return {
    ...step,
    purpose: 'before',
    next: (result, choices, state) => andThen(step.next(result, choices, state), then, choices, state),
  };
}

/** A journey as a script to explore. */
export function scriptOf(start: Start): Script<Step> {
  return (made, choices, state) => {
    const last = made.at(-1);
    const move = last ? last.connection.next(last.result, choices, state) : start(choices, state);
    return move.kind === 'connect' ? move.step : null;
  };
}

/** How a journey ended that made these connections and left this state behind. */
export function endingOf(start: Start, made: readonly Made<Step>[], choices: Choices, state: KernelState): Ending {
  const last = made.at(-1);
  const move = last ? last.connection.next(last.result, choices, state) : start(choices, state);
  return move.kind === 'end' ? move.ending : AS_ASKED;
}
