/** What the command line touches of the outside world; tests put their own in its place. */
export interface Io {
  /** Writes data. */
  readonly out: (text: string) => void;
  /** Writes messages. */
  readonly err: (text: string) => void;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** Columns of the terminal behind stdout; undefined when it is none. */
  readonly columns: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads all of standard input. */
  readonly readStdin: () => Promise<string>;
  /** The folder of the installed package: bundled scenarios are found there. */
  readonly packageRoot: string;
}

/** `k8snet trace` and the like end with one of these (design, section 4). */
export const EXIT = {
  /** All well. */
  yes: 0,
  /** The answer is no. */
  no: 1,
  /** The input or the command line is wrong. */
  usage: 2,
  /** A fault of k8snet itself. */
  fault: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
