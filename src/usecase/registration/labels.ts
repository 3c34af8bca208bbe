import { nearest } from '../../support/nearest.ts';

/** How well labels fit a selector. */
export interface LabelFit {
  /** All of the selector is there. */
  readonly takes: boolean;
  /** How near it comes: labels that are there count most, then keys that are, then slips of the pen. 0: nothing in common. */
  readonly score: number;
  /** What is missing: "app is webb, not web", "no label tier"; empty when it fits. */
  readonly missing: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** Compares labels with a selector. A selector without any pair takes every pod (the API server writes such a one for no pod). */
export function labelFit(labels: Labels, selector: Labels): LabelFit {
  let score = 0;
  const missing: string[] = [];
  for (const [key, value] of Object.entries(selector)) {
    const given = labels[key];
    if (given === value) {
      score += 10;
    } else if (given !== undefined) {
      score += nearest(value, [given]) === null ? 1 : 4;
      missing.push(`${key} is ${given === '' ? 'empty' : given}, not ${value}`);
    } else {
      const slip = Object.keys(labels).find((other) => labels[other] === value && nearest(key, [other]) !== null);
      if (slip !== undefined) score += 3;
      missing.push(slip === undefined ? `no label ${key}` : `label ${slip}=${value}, where ${key} is asked for`);
    }
  }
  return { takes: missing.length === 0, score, missing };
}
