/**
 * The candidate most like `text`, for "did you mean"; null when none is near: more edits than a third of its length (at least
 * one, two from four characters on). Letter case does not count.
 */
export function nearest(text: string, candidates: Iterable<string>): string | null {
  const wanted = text.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(wanted.length < 4 ? 1 : 2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_LENGTH || Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance && distance < wanted.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Longer words are not compared: the cost grows with the square. */
const MAX_LENGTH = 100;

/** Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, replacements, swapped neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
