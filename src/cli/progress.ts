import type { Io } from './io.ts';

/** A line on the terminal that counts; nothing elsewhere. */
export interface Progress {
  readonly step: (done: number, total: number) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** What takes longer than this says how far it is. */
const PATIENCE_MS = 1000;
const INTERVAL_MS = 100;

/** Counts `things` on stderr once the work has taken a second, if that is a terminal. */
export function progressOn(io: Io, things: string): Progress {
  let next = Date.now() + PATIENCE_MS;
  let shown = false;
  return {
    step: (done, total) => {
      if (!io.stderrIsTerminal || Date.now() < next) return;
      next = Date.now() + INTERVAL_MS;
      shown = true;
      io.err(`\r${done} of ${total} ${things}`);
    },
    end: () => {
      if (shown) io.err('\r\u001b[K');
    },
  };
}
