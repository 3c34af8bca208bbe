import { KernelState } from '../kernel/state.ts';
import type { Probe } from '../kubernetes/model/check.ts';
import type { Outcome } from '../trace/outcome.ts';
import { bindProblem } from './bind.ts';
import { explore } from './explore.ts';
import type { Branch, Exploration } from './explore.ts';
import { judge } from './judge.ts';
import type { Laboratory } from './laboratory.ts';
import { planSequence } from './plan.ts';
import type { Plan } from './plan.ts';
import type { ConnectionResult } from '../kernel/walk/connection.ts';
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
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly branches: readonly Branch[];
  readonly sampled: boolean;
  readonly assumptions: readonly string[];
}

/** Answers one question over a state (fresh when none is given): every outcome with its probability and cause. */
export function ask(laboratory: Laboratory, question: Question, state: KernelState = new KernelState()): Result<Answer> {
  const { probe, before, namespace, noReply, firstSourcePort, continues } = question;
  const planned = continues
    ? found({ asked: { ...continues, request: { ...continues.request, noReply } }, before: [] })
    : planSequence(laboratory.cluster, probe, before, {
        namespace,
        noReply,
        ...(firstSourcePort !== undefined && { firstSourcePort }),
      });
  if (!planned.ok) return planned;
  const { asked, before: earlier } = planned.value;
  const { world, connect } = laboratory;
  const unbound = continues ? null : firstOf([...earlier, asked], ({ request }) => bindProblem(world, request));
  if (unbound !== null) return refused(unbound);
  const exploration = explore([...earlier, asked], { world, state, connect });
  if (exploration.branches.length === 0) return refused(missedPinMessage(exploration));
  return found({
    plan: asked,
    outcomes: judge(exploration.branches, asked, earlier, laboratory),
    branches: exploration.branches,
    sampled: exploration.sampled,
    assumptions: [...assumptionsOf(asked), ...idlePinNotes(exploration), ...endlessNotes(exploration)],
  });
}

function firstOf(plans: readonly Plan[], problemOf: (plan: Plan) => string | null): string | null {
  for (const plan of plans) {
    const problem = problemOf(plan);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Where the next connection goes on from: the most likely branch, the first among equals. `note` says so where there were several
 * ways; `what` names the connection.
 */
export function likeliest(
  { branches, outcomes }: Answer,
  what: string,
): { readonly state: KernelState; readonly result: ConnectionResult; readonly note: string | null } {
  const best = branches.reduce((so, branch) => (branch.probability > so.probability + 1e-9 ? branch : so));
  const result = best.results.at(-1)!;
  const note = outcomes.length > 1 ? `${what} is taken to have ended with ${result.server ?? result.verdict}` : null;
  return { state: best.state, result, note };
}

function assumptionsOf({ source, destination }: Plan): string[] {
  return [...new Set([...source.assumptions, ...destination.assumptions])];
}

function idlePinNotes(exploration: Exploration): string[] {
  return exploration.idlePins.map((pin) => `backend ${pin.name} has no effect: nothing on the way is chosen at random`);
}

function endlessNotes({ branches }: Exploration): string[] {
  return branches.some(({ results }) => results.some((result) => result.givenUp))
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
