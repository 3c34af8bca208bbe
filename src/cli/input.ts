import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UsageError } from './errors.ts';
import type { InputFile, ReadFile } from '../scenario/scenario.ts';
import type { Io } from './io.ts';

const EXTENSIONS = /\.(ya?ml|json)$/i;

/** The scenario that runs when no file is given. */
export const TUTORIAL = 'scenarios/tutorial.yaml';

/**
 * Reads what the user named: files, folders (their .yaml, .yml and .json files by name, not what lies deeper), `-` for standard input.
 * Nothing named: the bundled tutorial.
 * @throws UsageError when something can't be read
 */
export async function readInputs(names: readonly string[], io: Io): Promise<readonly InputFile[]> {
  if (names.length === 0) return [{ name: TUTORIAL, text: readText(join(io.packageRoot, TUTORIAL), TUTORIAL) }];
  const files: InputFile[] = [];
  const read = new Set<string>();
  let stdinRead = false;
  for (const name of names) {
    if (name === '-' || name === '/dev/stdin') {
      if (stdinRead) throw new UsageError('standard input can be read only once');
      stdinRead = true;
      files.push({ name: '<stdin>', text: await io.readStdin() });
    } else {
      for (const file of readPath(name)) {
        if (read.has(resolve(file.name))) throw new UsageError(`${file.name}: the same file is given twice`);
        read.add(resolve(file.name));
        files.push(file);
      }
    }
  }
  return files;
}

/** Reads a file that a scenario names; relative paths start at the folder of the file that names it. */
export const readReferenced: ReadFile = (path, relativeTo) => {
  const base = relativeTo.startsWith('<') ? '.' : dirname(relativeTo);
  try {
    const full = isAbsolute(path) ? path : join(base, path);
    return statSync(full).isFile() ? readFileSync(full, 'utf8') : null;
  } catch {
    return null;
  }
};

function readPath(name: string): readonly InputFile[] {
  const kind = kindOf(name);
  if (kind === 'file') return [{ name, text: readText(name, name) }];
  const entries = readdirSync(name, { withFileTypes: true });
  const inside = entries
    .filter((entry) => !entry.isDirectory() && EXTENSIONS.test(entry.name))
    .map((entry) => join(name, entry.name));
  if (inside.length === 0) throw new UsageError(`${name}: no .yaml, .yml or .json file in this folder`);
  return inside.sort().map((file) => ({ name: file, text: readText(file, file) }));
}

/** A pipe (process substitution) is as good as a file; a device such as /dev/zero may never end. */
function kindOf(name: string): 'file' | 'folder' {
  try {
    const stat = statSync(name);
    if (stat.isDirectory()) return 'folder';
    if (stat.isFile() || stat.isFIFO()) return 'file';
  } catch (error) {
    throw unreadable(name, error);
  }
  throw new UsageError(`${name}: neither a file nor a folder`);
}

/** @throws UsageError with the system's reason */
export function readText(path: string, shownAs: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(shownAs, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'is a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  ERR_STRING_TOO_LONG: 'the file is too large',
  ERR_FS_FILE_TOO_LARGE: 'the file is too large',
};

function unreadable(name: string, error: unknown): UsageError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  const hint =
    code === 'ENOENT' && /^(pod|node|svc|service|external|deploy)\//.test(name)
      ? `a reference goes with --from or --to`
      : undefined;
  return new UsageError(`${name}: ${REASONS[code] ?? code}`, hint);
}
