import { KernelState } from '../kernel/state.ts';
import { resync } from '../kubernetes/resync.ts';
import type { Check } from '../kubernetes/model/check.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Ended, Scenario, Step } from '../scenario/scenario.ts';
import { Connections } from './connections.ts';
import { openLaboratory } from './laboratory.ts';
import type { Engine, LaboratoryOptions, LaboratoryResult } from './laboratory.ts';
import { FIRST_SOURCE_PORT } from './plan.ts';
import { likeliest } from './question.ts';
import type { Answer, Question } from './question.ts';
import type { Result } from './refs/ref.ts';

/** A check of a scenario with steps, when its turn has come. */
export interface Turn {
  readonly check: Check;
  /** null: before the first step. */
  readonly step: Step | null;
  readonly opened: LaboratoryResult;
  /** What all that went before has left behind; asking does not change it. */
  readonly state: KernelState;
  readonly question: Result<Question>;
  /** What was assumed on the way here. */
  readonly notes: readonly string[];
}

export interface TimelineOptions extends Omit<LaboratoryOptions, 'coldNeighbours'> {
  readonly namespace?: string;
  readonly noReply?: boolean;
}

/**
 * Goes through a scenario's checks and steps in order over one kernel state. `visit` asks a check's question and returns the answer,
 * null to end there. Where a connection may end in several ways, time goes on from the most likely one.
 */
export function goThrough(
  scenario: Scenario,
  options: TimelineOptions,
  engine: Engine,
  visit: (turn: Turn) => Result<Answer> | null,
): void {
  const connections = new Connections();
  let state = new KernelState();
  let notes: readonly string[] = [];
  let port = FIRST_SOURCE_PORT;
  let before: Cluster | null = null;
  for (const step of [null, ...scenario.steps]) {
    const open = opener(scenario, step, options, engine);
    if (step !== null) {
      state = state.fork();
      state.pass(step.after);
      for (const ended of step.ended) end(ended, state, connections);
    }
    const opened = open(false);
    if (opened.ok) {
      if (before !== null) resync(state, opened.laboratory.world, before, opened.laboratory.cluster);
      before = opened.laboratory.cluster;
    }
    for (const check of step?.checks ?? scenario.checks) {
      const laboratory = open(check.coldNeighbours);
      const question = connections.questionOf(check, laboratory, options, port);
      const answer = visit({ check, step, opened: laboratory, state, question, notes });
      if (answer === null) return;
      port += check.before.length + 1;
      if (!answer.ok) continue;
      const next = likeliest(answer.value, `"${check.name}"`);
      state = next.state.settled();
      if (next.asked) connections.remember(check, next.asked.connection, next.asked.result);
      if (next.note !== null) notes = [...notes, next.note];
    }
  }
}

/** Compiles a step's cluster, once for warm and once for cold neighbours. */
function opener(
  scenario: Scenario,
  step: Step | null,
  options: TimelineOptions,
  engine: Engine,
): (coldNeighbours: boolean) => LaboratoryResult {
  const asked = (options.commands ?? []).map((command) => (step === null ? command : { ...command, earlier: true }));
  const commands = [
    ...(step?.commands ?? []).map(({ host, line }) => ({
      host,
      command: line.text,
      position: line.position,
      earlier: line.earlier === true,
    })),
    ...asked,
  ];
  const opened = new Map<boolean, LaboratoryResult>();
  return (coldNeighbours) => {
    const result =
      opened.get(coldNeighbours) ??
      openLaboratory(step?.cluster ?? scenario.cluster, { ...options, commands, coldNeighbours }, engine);
    opened.set(coldNeighbours, result);
    return result;
  };
}

function end(ended: Ended, state: KernelState, connections: Connections): void {
  connections.end(ended.name);
  if (!ended.hostNetwork) state.forget(ended.name, ended.addresses);
}
