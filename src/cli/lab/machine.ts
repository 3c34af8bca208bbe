import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { missingModule } from '../../usecase/lab/missing-module.ts';
import { belongsTo, labOf } from '../../usecase/lab/names.ts';
import { UsageError } from '../errors.ts';
import type { LabName } from '../../usecase/lab/names.ts';

const NETNS_FOLDER = '/run/netns';

/** @throws UsageError when labs can't be built here, with the reason */
export function requireLabMachine(tools: readonly string[]): void {
  if (process.platform !== 'linux') throw new UsageError('a lab needs Linux');
  if (process.getuid?.() !== 0)
    throw new UsageError('a lab needs root', 'sudo k8snet lab ...; `lab script` prints what would be done');
  for (const tool of tools) {
    if (spawnSync(tool, ['--version'], { stdio: 'ignore' }).error) throw new UsageError(`a lab needs the program ${tool}`);
  }
  if (!existsSync('/proc/sys/net/bridge')) throw new UsageError('the kernel has no br_netfilter', 'modprobe br_netfilter');
}

/** All namespaces that belong to a lab. */
export function labNamespaces(lab: LabName): readonly string[] {
  return namespaces().filter((name) => belongsTo(lab, name));
}

/** Names of all labs on this machine. */
export function labs(): readonly LabName[] {
  return [
    ...new Set(
      namespaces()
        .map(labOf)
        .filter((lab) => lab !== null),
    ),
  ];
}

/**
 * Runs a lab's script.
 * @throws UsageError with what the failing command said
 */
export async function runScript(lab: LabName, script: string): Promise<void> {
  // The script is read whole before it runs: none of its commands can read it away. The shell leads a group and bears the lab's name, so
  // that it and what it runs can be found and ended.
  const read = 'script=$(cat); exec </dev/null; eval "$script"';
  const child = spawn('sh', ['-c', read, lab], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(script);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code === 0) return;
  const module = missingModule(errors);
  throw new UsageError(
    `the lab could not be built: ${errors.trim() || `the script ended with ${code}`}`,
    module === null ? undefined : `this kernel lacks ${module}`,
  );
}

/** Removes a lab: ends who still builds it and every process in its namespaces, and deletes these with all that was in them. */
export function removeLab(lab: LabName): number {
  endNamed(lab);
  const names = labNamespaces(lab);
  for (const name of names) endProcesses(name);
  for (const name of names) spawnSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
  return names.length;
}

/** Ends processes, and their groups, that bear the lab's name as an argument: an unfinished script, a measuring process. */
function endNamed(lab: LabName): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (words.slice(1).includes(lab) && Number(pid) !== process.pid) process.kill(-Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function endProcesses(namespace: string): void {
  const { stdout } = spawnSync('ip', ['netns', 'pids', namespace], { encoding: 'utf8' });
  for (const pid of (stdout ?? '').split(/\s+/).filter((word) => /^\d+$/.test(word))) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function namespaces(): readonly string[] {
  return existsSync(NETNS_FOLDER) ? readdirSync(NETNS_FOLDER).sort() : [];
}
