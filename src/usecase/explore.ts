import type { KernelState } from '../kernel/state.ts';
import type { World } from '../kernel/world.ts';
import { Choices } from '../kernel/walk/choices.ts';
import type { Decision } from '../kernel/walk/choices.ts';
import type { ConnectionOptions, ConnectionRequest, ConnectionResult } from '../kernel/walk/connection.ts';
import { SampledChoices, STRATA } from './sampled-choices.ts';
import { reachedServer } from './pin.ts';
import type { Server } from './refs/server.ts';

/** The walk engine, as a parameter so that tests can put a fake in its place. */
export type Connect = (request: ConnectionRequest, options: ConnectionOptions) => ConnectionResult;

/** One connection that a script makes. `pin`: only branches that reach this server count. */
export interface PlannedConnection {
  readonly request: ConnectionRequest;
  readonly pin: Server | null;
  /** What the process that makes it keeps of it; done in the state that the connection is walked over. */
  readonly remember?: (state: KernelState) => void;
  /** Ways of this connection for which it says the same are all one to what follows: only the first of them goes on. */
  readonly alike?: (result: ConnectionResult) => string;
}

/** A connection that was made. */
export interface Made<C extends PlannedConnection> {
  readonly connection: C;
  readonly result: ConnectionResult;
}

/**
 * What a story of connections does next, given those that it made and the state they left behind: null when it is over. Pure; what it draws
 * itself (which address of an answer a client takes) it draws from `choices`.
 */
export type Script<C extends PlannedConnection> = (made: readonly Made<C>[], choices: Choices, state: KernelState) => C | null;

/** These connections, one after the other. */
export function inOrder<C extends PlannedConnection>(connections: readonly C[]): Script<C> {
  return (made) => connections[made.length] ?? null;
}

/** One way the random choices may fall for a whole script. */
export interface Branch<C extends PlannedConnection = PlannedConnection> {
  readonly probability: number;
  /** Every connection of the script. */
  readonly made: readonly Made<C>[];
  /** What the connections left behind. */
  readonly state: KernelState;
}

export interface Exploration<C extends PlannedConnection = PlannedConnection> {
  /** Probabilities add up to 1; empty when `missedPin` is set. */
  readonly branches: readonly Branch<C>[];
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
const PINNED_FACTOR = 64;
/** Most of them go unrecorded, and take less time for their work. */
const PINNED_WORK_FACTOR = 16;

/**
 * Runs a script over one state for every way its random choices can fall: depth first over the recorded decisions, each connection on
 * a fork of the state its predecessor left. Beyond the limit a fixed, evenly spread sample is taken instead.
 */
export function explore<C extends PlannedConnection>(script: Script<C>, options: ExploreOptions): Exploration<C> {
  const limit = options.limit ?? STRATA;
  const run = new Run(script, options, limit);
  const leaves = run.everyBranch([], options.state, 1);
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

interface Walked<C extends PlannedConnection> {
  /** null: the script is over. */
  readonly connection: C | null;
  readonly made: readonly Made<C>[];
  readonly state: KernelState;
  readonly choices: Choices;
}

/** The first of several ways that are all one to what follows. */
interface Held<C extends PlannedConnection> {
  readonly walked: Walked<C>;
  /** Of all of them. */
  readonly share: number;
}

/** One exploration: its budget, and what happened to its pins. */
class Run<C extends PlannedConnection> {
  readonly idlePins = new Set<Server>();
  readonly #script: Script<C>;
  readonly #options: ExploreOptions;
  readonly #limit: number;
  /** A pinned connection was met: more branches are tried. */
  #pinned = false;
  /** Branches beside the first that were begun. */
  #branches = 0;
  #walks = 0;
  #work = 0;
  #longest = 1;
  #missed: { readonly wanted: Server; readonly reached: Set<string> } | null = null;

  constructor(script: Script<C>, options: ExploreOptions, limit: number) {
    this.#script = script;
    this.#options = options;
    this.#limit = limit;
  }

  /** All branches behind the connections made so far; null once the budget or the work is spent. */
  everyBranch(made: readonly Made<C>[], state: KernelState, probability: number): Branch<C>[] | null {
    const branches: Branch<C>[] = [];
    const held = new Map<string, Held<C>>();
    let given: readonly number[] | null = [];
    while (given) {
      if (given.length > 0) this.#branches += 1;
      if (this.#isSpent()) return null;
      const walked = this.#walkPinned(made, state, given);
      // Sooner or later each of the other alternatives would be a branch: too many are known at once.
      const isOpen = openPicks(walked.connection?.pin ?? null, this.#limit);
      const more = alternatives(walked.choices, isOpen);
      if (more > 0 && this.#isSpent(more)) return null;
      given = nextPicks(walked.choices, isOpen);
      const share = probability * walked.choices.probability;
      if (walked.connection === null) {
        branches.push({ probability: share, made, state });
        continue;
      }
      if (!this.#keeps(walked.connection, walked)) continue;
      const { alike } = walked.connection;
      if (alike) {
        // They are no branches of their own: what was counted for them is given back.
        const key = alike(walked.made.at(-1)!.result);
        const same = held.get(key);
        if (same && given) this.#branches -= 1;
        held.set(key, { walked: same?.walked ?? walked, share: share + (same?.share ?? 0) });
        continue;
      }
      if (!this.#follow(walked, share, branches)) return null;
    }
    for (const { walked, share } of held.values()) if (!this.#follow(walked, share, branches)) return null;
    return branches;
  }

  /** Adds the branches behind a connection; false once the budget or the work is spent. */
  #follow(walked: Walked<C>, share: number, branches: Branch<C>[]): boolean {
    const rest = this.everyBranch(walked.made, walked.state, share);
    if (rest === null) return false;
    branches.push(...rest);
    return true;
  }

  #isSpent(more = 0): boolean {
    const [branches, work] = this.#pinned ? [PINNED_FACTOR, PINNED_WORK_FACTOR] : [1, 1];
    return this.#branches + more >= this.#limit * branches || this.#work > MAX_WORK * work;
  }

  /** Up to `limit` walks of the whole script whose choices are spread evenly over what can happen. */
  sample(limit: number): Branch<C>[] {
    const branches: Branch<C>[] = [];
    const perScript = (this.#work / Math.max(1, this.#walks)) * this.#longest;
    const count = Math.max(1, Math.min(limit, Math.floor(MAX_WORK / perScript)));
    for (let i = 0; i < count; i++) {
      let position = (i + 0.5) / count;
      let so: { readonly made: readonly Made<C>[]; readonly state: KernelState } = { made: [], state: this.#options.state };
      for (;;) {
        const choices = new SampledChoices(position);
        const walked = this.#walk(so.made, so.state, choices);
        if (walked.connection === null) branches.push({ probability: 1 / count, made: so.made, state: so.state });
        if (walked.connection === null || !this.#keeps(walked.connection, walked)) break;
        position = choices.position;
        so = walked;
      }
    }
    return branches;
  }

  missed(): Exploration['missedPin'] {
    return this.#missed && { wanted: this.#missed.wanted, reached: [...this.#missed.reached] };
  }

  /** Events are only recorded of what a pin may keep: most branches of a long list of endpoints go elsewhere. */
  #walkPinned(made: readonly Made<C>[], before: KernelState, given: readonly number[]): Walked<C> {
    const pin = this.#script(made, new Choices(given), before)?.pin ?? null;
    if (pin !== null) {
      this.#pinned = true;
      const tried = this.#walk(made, before, new Choices(given), false);
      const server = tried.made.at(-1)!.result.server;
      if (server !== null && server !== pin.name && tried.choices.decisions.length > 0 && !this.#isPassedOn(pin, tried))
        return tried;
    }
    return this.#walk(made, before, new Choices(given));
  }

  #walk(made: readonly Made<C>[], before: KernelState, choices: Choices, record = true): Walked<C> {
    const connection = this.#script(made, choices, before);
    if (connection === null) return { connection, made, state: before, choices };
    const state = before.fork();
    connection.remember?.(state);
    const result = this.#options.connect(connection.request, { world: this.#options.world, state, choices, record });
    this.#walks += 1;
    this.#work += result.work;
    this.#longest = Math.max(this.#longest, made.length + 1);
    return { connection, made: [...made, { connection, result }], state, choices };
  }

  /** A pin keeps what reaches its server. Where nothing at all was drawn there is nothing to pin. */
  #keeps({ pin, request }: C, walked: Walked<C>): boolean {
    const { made, choices } = walked;
    const { result } = made.at(-1)!;
    if (pin === null || reachedServer(result, request, pin) || this.#isPassedOn(pin, walked)) return true;
    if (choices.decisions.length === 0) {
      this.idlePins.add(pin);
      return true;
    }
    if (this.#missed?.wanted !== pin) this.#missed = { wanted: pin, reached: new Set() };
    if (result.server !== null) this.#missed.reached.add(result.server);
    return false;
  }

  /** Another connection comes of this one, and the pin is for that. */
  #isPassedOn(pin: Server, { made, state }: Walked<C>): boolean {
    return this.#script(made, new Choices(), state)?.pin === pin;
  }
}

/** Is an alternative of a decision still to be walked? */
type IsOpen = (decision: Decision, alternative: number) => boolean;

/**
 * All that can happen and were not picked. Of more than `limit` alternatives whose rules say where they lead, a pin leaves those that lead
 * to its server, if one does: nobody waits until every endpoint of a large service has been tried.
 */
function openPicks(pin: Server | null, limit: number): IsOpen {
  const leadsThere = ({ leadsTo }: Decision, alternative: number): boolean => {
    const address = leadsTo?.(alternative) ?? null;
    return address !== null && (pin?.addresses.includes(address) ?? false);
  };
  const narrowed = new Map<Decision, boolean>();
  const isNarrowed = (decision: Decision): boolean => {
    let known = narrowed.get(decision);
    if (known === undefined) {
      known = pin !== null && decision.weights.length > limit && decision.weights.some((_, i) => leadsThere(decision, i));
      narrowed.set(decision, known);
    }
    return known;
  };
  return (decision, alternative) =>
    alternative > decision.picked &&
    decision.weights[alternative]! > 0 &&
    (!isNarrowed(decision) || leadsThere(decision, alternative));
}

/** How many picks follow on those of a walk at one decision or another. */
function alternatives({ decisions }: Choices, isOpen: IsOpen): number {
  return decisions.reduce((sum, decision) => sum + decision.weights.filter((_, i) => isOpen(decision, i)).length, 0);
}

/** Picks that lead to the branch after the one that was walked, depth first; null behind the last. */
function nextPicks({ decisions }: Choices, isOpen: IsOpen): readonly number[] | null {
  for (let i = decisions.length - 1; i >= 0; i--) {
    const decision = decisions[i]!;
    const next = decision.weights.findIndex((_, other) => isOpen(decision, other));
    if (next > 0) return [...decisions.slice(0, i).map(({ picked }) => picked), next];
  }
  return null;
}
