import { MOST_COUNTED } from '../../trace/topology.ts';

/** A chain as far as counting needs it: how many rules it has, and which chains they jump to. */
export interface CountedChain {
  readonly rules: number;
  readonly jumps: readonly string[];
}

/**
 * Counts the rules that a packet may meet behind some jumps: those of every chain that can be reached, each chain once. `visited` grows
 * by the chains that were counted, so that several jumps of one base chain share them. Beyond MOST_COUNTED nobody wants to know:
 * chains are made when looked at, and a large cluster has millions of rules.
 */
export function rulesBehind(
  jumps: readonly string[],
  chain: (name: string) => CountedChain | undefined,
  visited: Set<string>,
): number {
  const waiting = [...jumps];
  let count = 0;
  for (let name = waiting.pop(); name !== undefined && count < MOST_COUNTED; name = waiting.pop()) {
    if (visited.has(name)) continue;
    visited.add(name);
    const found = chain(name);
    if (!found) continue;
    count += found.rules;
    for (const jump of found.jumps) waiting.push(jump);
  }
  return Math.min(count, MOST_COUNTED);
}
