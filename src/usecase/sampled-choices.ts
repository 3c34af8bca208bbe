import { Choices } from '../kernel/walk/choices.ts';

/** How many branches are walked at most, and how many samples are taken beyond that. */
export const STRATA = 256;

/**
 * Choices picked by one position in [0, 1): at each decision the alternative whose share of the interval holds the position, which
 * is then stretched over that share. Evenly spread positions so draw every alternative as often as its weight says, without chance.
 */
export class SampledChoices extends Choices {
  #position: number;

  constructor(position: number) {
    super();
    this.#position = position;
  }

  /** What is left of the position after the picks so far. */
  get position(): number {
    return this.#position;
  }

  override pick(what: string, weights: readonly number[]): number {
    let start = 0;
    let picked = -1;
    for (const [index, weight] of weights.entries()) {
      if (weight <= 0) continue;
      picked = index;
      if (this.#position < start + weight) break;
      start += weight;
    }
    const weight = weights[picked] ?? 1;
    this.#position = Math.min(Math.max((this.#position - start) / weight, 0), 1 - Number.EPSILON);
    this.decisions.push({ what, weights, picked: Math.max(picked, 0) });
    return Math.max(picked, 0);
  }
}
