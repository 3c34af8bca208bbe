import { KernelState } from '../kernel/state.ts';
import type { Probe } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Outcome } from '../trace/outcome.ts';
import { bindProblem } from './bind.ts';
import { explore } from './explore.ts';
import type { Branch, Exploration, Made } from './explore.ts';
import { continuedJourney, planJourney } from './journey/journey.ts';
import type { Journey } from './journey/journey.ts';
import { scriptOf } from './journey/step.ts';
import type { Step } from './journey/step.ts';
import { tell } from './judge.ts';
import type { Laboratory } from './laboratory.ts';
import type { Plan } from './plan.ts';
import { found, refused } from './refs/ref.ts';
import type { Result } from './refs/ref.ts';

/** One connection somebody asks about, and those made before it. */
export interface Question {
  readonly probe: Probe;
  readonly before: readonly Probe[];
  /** Default namespace of references. */
  readonly namespace: string;
  readonly noReply: boolean;
  /** Source port of connections that name none; left out: where ephemeral ports begin. */
  readonly firstSourcePort?: number;
  /** In place of a new connection: one more packet of one that was planned, and made, before. */
  readonly continues?: Plan;
}

export interface Answer {
  readonly journey: Journey;
  readonly outcomes: readonly Outcome[];
  readonly branches: readonly Branch<Step>[];
  readonly sampled: boolean;
  readonly assumptions: readonly string[];
  /** What is worth saying of the way as a whole. */
  readonly notes: readonly string[];
}

/** Answers one question over a state (fresh when none is given): every outcome with its probability and cause. */
export function ask(laboratory: Laboratory, question: Question, state: KernelState = new KernelState()): Result<Answer> {
  const { continues } = question;
  const planned = continues
    ? found(continuedJourney({ ...continues, request: { ...continues.request, noReply: question.noReply } }))
    : planJourney(laboratory.cluster, question);
  if (!planned.ok) return planned;
  const journey = planned.value;
  const { world, connect } = laboratory;
  for (const bound of journey.bound) {
    const problem = bindProblem(world, bound);
    if (problem !== null) return refused(problem);
  }
  const exploration = explore(scriptOf(journey.start), { world, state, connect });
  if (exploration.branches.length === 0) return refused(missedPinMessage(exploration));
  const elsewhere = pinMissedWithoutChoice(exploration, laboratory.cluster);
  if (elsewhere !== null) return refused(elsewhere);
  const told = tell(exploration.branches, journey, laboratory);
  return found({
    journey,
    outcomes: told.outcomes,
    branches: exploration.branches,
    sampled: exploration.sampled,
    assumptions: [...journey.assumptions, ...told.assumptions, ...idlePinNotes(exploration), ...endlessNotes(exploration)],
    notes: told.notes,
  });
}

/** The connection that was asked for, in one branch; undefined where it did not come to that. */
export function askedOf({ made }: Branch<Step>): Made<Step> | undefined {
  return made.find(({ connection }) => connection.purpose === 'asked');
}

/**
 * Where the next connection goes on from: the most likely branch, the first among equals. `note` says so where there were several
 * ways; `what` names the connection. `asked` is missing where it did not come to the connection itself.
 */
export function likeliest(
  { branches, outcomes }: Answer,
  what: string,
): { readonly state: KernelState; readonly asked: Made<Step> | undefined; readonly note: string | null } {
  const best = branches.reduce((so, branch) => (branch.probability > so.probability + 1e-9 ? branch : so));
  const asked = askedOf(best);
  const ended = asked?.result.server ?? asked?.result.verdict ?? 'unresolved';
  return { state: best.state, asked, note: outcomes.length > 1 ? `${what} is taken to have ended with ${ended}` : null };
}

function idlePinNotes(exploration: Exploration): string[] {
  return exploration.idlePins.map((pin) => `backend ${pin.name} has no effect: nothing on the way is chosen at random`);
}

/** A pinned server that nothing leads to, since somebody else answers whatever is drawn; null: there is none. */
function pinMissedWithoutChoice({ idlePins, branches }: Exploration<Step>, cluster: Cluster): string | null {
  const [pin] = idlePins;
  const servers = new Set(branches.map((branch) => askedOf(branch)?.result.server ?? null));
  if (pin === undefined || servers.has(null) || servers.has(pin.name)) return null;
  const pod = cluster.pods.find(({ namespace, name }) => pin.name === `pod/${namespace}/${name}`);
  const why = pod?.terminating ? `; ${pin.name} is terminating` : pod?.ready === false ? `; ${pin.name} is not ready` : '';
  return `backend ${pin.name}: nothing is drawn on the way, it leads to ${[...servers].join(', ')}${why}`;
}

function endlessNotes({ branches }: Exploration): string[] {
  return branches.some(({ made }) => made.some(({ result }) => result.givenUp))
    ? ['the packet goes round without end, or breeds without measure; it was followed only so far']
    : [];
}

/** Servers that a message names. */
const SHOWN_SERVERS = 8;

function missedPinMessage({ missedPin, sampled }: Exploration): string {
  if (missedPin === null) return 'no way through the random choices was found';
  const { wanted, reached } = missedPin;
  const more = reached.length > SHOWN_SERVERS ? ` and ${reached.length - SHOWN_SERVERS} more` : '';
  const among = reached.length > 0 ? `; it falls on ${reached.slice(0, SHOWN_SERVERS).join(', ')}${more}` : '';
  return `backend ${wanted.name}: the choice never falls on it${among}${sampled ? ' (among the branches that were sampled)' : ''}`;
}
