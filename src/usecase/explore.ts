import type { KernelState } from '../kernel/state.ts';
import type { World } from '../kernel/world.ts';
import { Choices } from '../kernel/walk/choices.ts';
import type { ConnectionOptions, ConnectionRequest, ConnectionResult } from '../kernel/walk/connection.ts';
import { SampledChoices, STRATA } from './sampled-choices.ts';
import { reachedServer } from './pin.ts';
import type { Server } from './refs/server.ts';

/** The walk engine, as a parameter so that tests can put a fake in its place. */
export type Connect = (request: ConnectionRequest, options: ConnectionOptions) => ConnectionResult;

/** One connection of a sequence. `pin`: only branches that reach this server count. */
export interface PlannedConnection {
  readonly request: ConnectionRequest;
  readonly pin: Server | null;
}

/** One way the random choices may fall for a whole sequence of connections. */
export interface Branch {
  readonly probability: number;
  /** Of every connection of the sequence, the asked one last. */
  readonly results: readonly ConnectionResult[];
  /** What the connections left behind. */
  readonly state: KernelState;
}

export interface Exploration {
  /** Probabilities add up to 1; empty when `missedPin` is set. */
  readonly branches: readonly Branch[];
  readonly sampled: boolean;
  /** A pinned server that no branch reached though something was drawn, and the servers that were. */
  readonly missedPin: { readonly wanted: Server; readonly reached: readonly string[] } | null;
  /** Pinned servers on whose way nothing was drawn, and which were not reached: the pin had no effect. */
  readonly idlePins: readonly Server[];
}

export interface ExploreOptions {
  readonly world: World;
  readonly state: KernelState;
  readonly connect: Connect;
  /** Branches beyond this are sampled (design: 256). */
  readonly limit?: number;
}

/** Work (see ConnectionResult) beyond which fewer ways are walked: about a second's worth. */
const MAX_WORK = 200_000;
/** A pinned choice may hide deep in a long list of endpoints: more branches are tried for it before sampling. */
const PINNED_FACTOR = 16;
/** Most of them go unrecorded, and take less time for their work. */
const PINNED_WORK_FACTOR = 4;

/**
 * Runs a sequence of connections over one state for every way its random choices can fall: depth first over the recorded decisions,
 * each connection on a fork of the state its predecessor left. Beyond the limit a fixed, evenly spread sample is taken instead.
 */
export function explore(connections: readonly PlannedConnection[], options: ExploreOptions): Exploration {
  const limit = options.limit ?? STRATA;
  const pinned = connections.some((connection) => connection.pin !== null);
  const budget = { branches: limit * (pinned ? PINNED_FACTOR : 1) - 1, work: MAX_WORK * (pinned ? PINNED_WORK_FACTOR : 1) };
  const run = new Run(connections, options, budget);
  const leaves = run.everyBranch(0, options.state, 1, []);
  const complete = leaves !== null;
  const branches = complete ? leaves : run.sample(limit);
  const total = branches.reduce((sum, branch) => sum + branch.probability, 0);
  return {
    branches: branches.map((branch) => ({ ...branch, probability: branch.probability / total })),
    sampled: !complete,
    missedPin: branches.length > 0 ? null : run.missed(),
    idlePins: [...run.idlePins],
  };
}

interface Walked {
  readonly result: ConnectionResult;
  readonly state: KernelState;
  readonly choices: Choices;
}

/** One exploration: its budget, and what happened to its pins. */
class Run {
  readonly idlePins = new Set<Server>();
  readonly #connections: readonly PlannedConnection[];
  readonly #options: ExploreOptions;
  /** Further branches that may be walked, and when to stop though there are fewer. */
  readonly #budget: { branches: number; readonly work: number };
  #walks = 0;
  #work = 0;
  #missed: { readonly wanted: Server; readonly reached: Set<string> } | null = null;

  constructor(
    connections: readonly PlannedConnection[],
    options: ExploreOptions,
    budget: { readonly branches: number; readonly work: number },
  ) {
    this.#connections = connections;
    this.#options = options;
    this.#budget = { ...budget };
  }

  /** All branches from the `index`th connection on; null once the budget or the work is spent. */
  everyBranch(index: number, state: KernelState, probability: number, results: readonly ConnectionResult[]): Branch[] | null {
    const connection = this.#connections[index];
    if (!connection) return [{ probability, results, state }];
    const branches: Branch[] = [];
    let given: readonly number[] | null = [];
    while (given) {
      if ((given.length > 0 && --this.#budget.branches < 0) || this.#work > this.#budget.work) return null;
      const walked = this.#walkPinned(connection, state, given);
      given = nextPicks(walked.choices);
      if (!this.#keeps(connection, walked)) continue;
      const rest = this.everyBranch(index + 1, walked.state, probability * walked.choices.probability, [
        ...results,
        walked.result,
      ]);
      if (rest === null) return null;
      branches.push(...rest);
    }
    return branches;
  }

  /** Up to `limit` walks of the whole sequence whose choices are spread evenly over what can happen. */
  sample(limit: number): Branch[] {
    const branches: Branch[] = [];
    const perSequence = (this.#work / this.#walks) * this.#connections.length;
    const count = Math.max(1, Math.min(limit, Math.floor(MAX_WORK / perSequence)));
    for (let i = 0; i < count; i++) {
      let state = this.#options.state;
      let position = (i + 0.5) / count;
      const results: ConnectionResult[] = [];
      for (const connection of this.#connections) {
        const choices = new SampledChoices(position);
        const walked = this.#walk(connection.request, state, choices);
        if (!this.#keeps(connection, walked)) break;
        results.push(walked.result);
        state = walked.state;
        position = choices.position;
      }
      if (results.length === this.#connections.length) branches.push({ probability: 1 / count, results, state });
    }
    return branches;
  }

  missed(): Exploration['missedPin'] {
    return this.#missed && { wanted: this.#missed.wanted, reached: [...this.#missed.reached] };
  }

  /** Events are only recorded of what a pin may keep: most branches of a long list of endpoints go elsewhere. */
  #walkPinned({ request, pin }: PlannedConnection, before: KernelState, given: readonly number[]): Walked {
    if (pin !== null) {
      const tried = this.#walk(request, before, new Choices(given), false);
      const { server } = tried.result;
      if (server !== null && server !== pin.name && tried.choices.decisions.length > 0) return tried;
    }
    return this.#walk(request, before, new Choices(given));
  }

  #walk(request: ConnectionRequest, before: KernelState, choices: Choices, record = true): Walked {
    const state = before.fork();
    const result = this.#options.connect(request, { world: this.#options.world, state, choices, record });
    this.#walks += 1;
    this.#work += result.work;
    return { result, state, choices };
  }

  /** A pin keeps what reaches its server. Where nothing at all was drawn there is nothing to pin. */
  #keeps({ pin, request }: PlannedConnection, { result, choices }: Walked): boolean {
    if (pin === null || reachedServer(result, request, pin)) return true;
    if (choices.decisions.length === 0) {
      this.idlePins.add(pin);
      return true;
    }
    if (this.#missed?.wanted !== pin) this.#missed = { wanted: pin, reached: new Set() };
    if (result.server !== null) this.#missed.reached.add(result.server);
    return false;
  }
}

/** Picks that lead to the branch after the one that was walked, depth first; null behind the last. */
function nextPicks({ decisions }: Choices): readonly number[] | null {
  for (let i = decisions.length - 1; i >= 0; i--) {
    const { weights, picked } = decisions[i]!;
    const next = weights.findIndex((weight, other) => other > picked && weight > 0);
    if (next > 0) return [...decisions.slice(0, i).map((decision) => decision.picked), next];
  }
  return null;
}
