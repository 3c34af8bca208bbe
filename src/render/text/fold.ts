import type { Line } from './line.ts';

/** The longest round that is looked for, in lines. */
const MAX_ROUND = 80;
/** As many rounds at least are a loop. */
const MIN_ROUNDS = 3;

/** Lines of a packet that goes round and round: the first round, and how often it comes again. */
export function folded(lines: readonly Line[]): readonly Line[] {
  const keys = lines.map(keyOf);
  const shown: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const length = roundAt(keys, at);
    if (length === 0) {
      shown.push(lines[at]!);
      at++;
      continue;
    }
    const rounds = roundsAt(keys, at, length);
    const round = lines.slice(at, at + length);
    shown.push(...round, againLine(lines[at + length]!, round, rounds - 1));
    at += length * rounds;
  }
  return shown;
}

/** What makes a line the same as another: ports that source NAT draws anew each time do not tell them apart, nor do remarks. */
function keyOf({ host, place, columns }: Line): string {
  return JSON.stringify([host, place, columns.map((text) => text.replaceAll(/:\d+\b/g, ':'))]);
}

/** Lines of the round that begins here; 0: none does. */
function roundAt(keys: readonly string[], at: number): number {
  const longest = Math.min(MAX_ROUND, Math.floor((keys.length - at) / MIN_ROUNDS));
  for (let length = 2; length <= longest; length++) {
    if (keys[at] === keys[at + length] && roundsAt(keys, at, length) >= MIN_ROUNDS) return length;
  }
  return 0;
}

function roundsAt(keys: readonly string[], at: number, length: number): number {
  let same = 0;
  while (at + length + same < keys.length && keys[at + same] === keys[at + length + same]) same++;
  return 1 + Math.floor(same / length);
}

function againLine(first: Line, round: readonly Line[], times: number): Line {
  const hops = round.filter(({ host }, i) => host !== round[(i + round.length - 1) % round.length]!.host).length;
  const what = hops > 1 ? `the same ${hops} hops` : `the same ${round.length} lines`;
  return { ...first, place: '…', columns: [`${what} again, ${times} times`], tone: 'quiet', note: undefined, below: [] };
}
