const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Seconds as nft prints a time: "1d2h", "3h", "90s" is "1m30s". */
export function formatDuration(seconds: number): string {
  let rest = seconds;
  let text = '';
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length);
    if (count > 0) text += `${count}${unit}`;
    rest %= length;
  }
  return text === '' ? '0s' : text;
}

/** Reads "1d2h3m4s5ms" or plain seconds; null for anything else. In seconds. */
export function parseDuration(text: string): number | null {
  const match = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s?)?(?:(\d+)ms)?$/.exec(text);
  if (match === null || text === '') return null;
  const [days, hours, minutes, seconds, milliseconds] = match.slice(1).map((part) => Number(part ?? 0));
  return days! * 86_400 + hours! * 3_600 + minutes! * 60 + seconds! + milliseconds! / 1000;
}
