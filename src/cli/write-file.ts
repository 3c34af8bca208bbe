import process from 'node:process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { UsageError } from './errors.ts';

/**
 * Writes a report so that nobody ever sees half of it: to a new file in the same folder, then renamed.
 * @throws UsageError when the folder can't be written to
 */
export function writeFileAtomically(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new UsageError(`${path}: cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
