import { fstatSync, statSync, writeSync } from 'node:fs';
import process from 'node:process';
import { UsageError } from './errors.ts';
import { run } from './run.ts';

export { run };

/** The executable: binds the command line to this process. `packageRoot` is the folder of the package. */
export async function main(packageRoot: string): Promise<void> {
  const stdoutIsTerminal = isTerminal(1);
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => write(1, text),
    err: (text) => write(2, text),
    stdoutIsTerminal,
    stderrIsTerminal: isTerminal(2),
    columns: stdoutIsTerminal ? process.stdout.columns : undefined,
    env: process.env,
    readStdin,
    packageRoot,
  });
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  } catch (error) {
    throw new UsageError(`standard input cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Looks before it touches process.stdout: making that stream takes several milliseconds, which only a terminal needs. A character device
 * is one, unless it is the one that swallows all.
 */
function isTerminal(fd: 1 | 2): boolean {
  try {
    const status = fstatSync(fd);
    if (!status.isCharacterDevice() || status.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev) return false;
    return stream(fd).isTTY === true;
  } catch {
    return false;
  }
}

/** Pipes that are written to by their stream, since they were full once. */
const waiting = new Set<1 | 2>();

/** Writes all of a text at once; a closed pipe (`k8snet trace ... | head`) ends quietly. */
function write(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  if (waiting.has(fd)) {
    stream(fd).write(bytes);
    return;
  }
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Nobody is left to be told that messages can't be written.
    if (code === 'EPIPE' || (code !== 'EAGAIN' && fd === 2)) return;
    if (code !== 'EAGAIN') throw new UsageError(`standard output cannot be written to (${code})`);
    // Somebody made this pipe non-blocking and it is full: the stream knows how to wait.
    waiting.add(fd);
    stream(fd).on('error', () => {});
    stream(fd).write(bytes.subarray(written));
  }
}

function stream(fd: 1 | 2): NodeJS.WriteStream {
  return fd === 1 ? process.stdout : process.stderr;
}
