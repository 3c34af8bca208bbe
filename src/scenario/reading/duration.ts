const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** "5s", "1m30s", "200ms", "3h" in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  if (!/^(\d+(ms|s|m|h))+$/.test(text)) return null;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|s|m|h)/g)) sum += Number(count) * (UNITS[unit ?? ''] ?? 0);
  return Number.isSafeInteger(sum) ? sum : null;
}
