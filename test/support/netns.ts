import { spawnSync } from 'node:child_process';

/**
 * Runs a shell script in a network namespace of its own, which ends with the script: nothing is left behind. Gives what it printed
 * (standard output); fails when the script does.
 */
export function runInNamespace(script: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', 'exec unshare --net sh'], {
    input: script,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
  return stdout;
}

/** Why scripts with these programs can't be run here; null when they can. */
export function cannotRun(programs: readonly string[]): string | null {
  if (process.getuid?.() !== 0) return 'not root';
  const missing = ['unshare', ...programs].find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing !== undefined) return `${missing} is not installed`;
  return spawnSync('sh', ['-c', 'unshare --net true']).status === 0 ? null : 'network namespaces are not allowed';
}
