import type { IpAddress } from '../../net/ip.ts';

/** One random decision that a walk came to. */
export interface Decision {
  /** What is drawn: "statistic default/web", "ecmp 10.0.0.0/8". */
  readonly what: string;
  /** Probabilities of the alternatives; they add up to 1. */
  readonly weights: readonly number[];
  readonly picked: number;
  /** Where an alternative alone would send the packet, as far as its rules say so; null: they don't. */
  readonly leadsTo?: LeadsTo;
}

/** The destination that an alternative rewrites the packet to. */
export type LeadsTo = (alternative: number) => IpAddress | null;

/**
 * The random choices of one walk. Those of `given` are taken in order; behind them the first alternative with a weight above 0 is
 * taken and recorded, so that a driver can run the walk again with another pick. Same picks, same walk.
 */
export class Choices {
  readonly decisions: Decision[] = [];
  readonly #given: readonly number[];
  readonly #lasting = new Map<string, number>();

  constructor(given: readonly number[] = []) {
    this.#given = given;
  }

  pick(what: string, weights: readonly number[], leadsTo?: LeadsTo): number {
    const at = this.decisions.length;
    const picked =
      this.#given[at] ??
      Math.max(
        0,
        weights.findIndex((weight) => weight > 0),
      );
    this.decisions.push({ what, weights, picked, ...(leadsTo && { leadsTo }) });
    return picked;
  }

  /** A decision that stands for the rest of the walk once it is made: whoever comes back with the same key gets the same pick. */
  pickOnce(key: string, what: string, weights: readonly number[]): number {
    let picked = this.#lasting.get(key);
    if (picked === undefined) {
      picked = this.pick(what, weights);
      this.#lasting.set(key, picked);
    }
    return picked;
  }

  /** Probability of all picks together. */
  get probability(): number {
    return this.decisions.reduce((product, { weights, picked }) => product * (weights[picked] ?? 0), 1);
  }
}
