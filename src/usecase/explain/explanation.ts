import type { Origin } from '../../trace/origin.ts';

/** What a rule or a chain is for and whose it is. */
export interface Explanation {
  /** One plain sentence, without a full stop at the end. */
  readonly sentence: string;
  readonly origin: Origin;
}

export function explanation(by: string, role: string, sentence: string, object: string | null = null): Explanation {
  return { sentence, origin: { object, by, role } };
}
