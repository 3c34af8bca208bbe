import process from 'node:process';
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from './errors.ts';

/**
 * Writes a report so that nobody ever sees half of it: to a new file in the same folder, then renamed. Behind a symbolic link it is the
 * file that the link leads to; what is no file (a device, a pipe) is written to and never replaced.
 * @throws UsageError when it can't be written
 */
export function writeFileAtomically(path: string, text: string): void {
  try {
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind === undefined) replaceFile(path, text);
    else if (kind.isFile()) replaceFile(realpathSync(path), text);
    else writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`${path}: cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
