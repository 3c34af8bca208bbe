/** Positions of a longest increasing subsequence of different numbers (patience sorting, n log n). */
export function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  const tails: number[] = [];
  const before: number[] = [];
  numbers.forEach((number, position) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[tails[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    before[position] = low > 0 ? tails[low - 1]! : -1;
    tails[low] = position;
  });
  const kept = new Set<number>();
  for (let position = tails.at(-1) ?? -1; position >= 0; position = before[position]!) kept.add(position);
  return kept;
}
