import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { agentProbe } from '../../usecase/lab/agent-hosts.ts';
import type { Observation } from '../../usecase/lab/observation.ts';
import type { LabPlan } from '../../usecase/lab/plan-lab.ts';
import type { PlannedProbe } from '../../usecase/lab/verify.ts';

/** Where the measuring program lies in the package. */
const PROGRAM = 'src/cli/lab/agent/main.py';

/** The measuring process of a lab. */
export interface Agent {
  probe(planned: PlannedProbe): Promise<Observation>;
  /** Forgets connections and what was learnt from earlier probes. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the measuring process and puts servers, captures and traces into the lab's namespaces. */
export async function startAgent(packageRoot: string, { name, hosts, vxlanPort }: Omit<LabPlan, 'script'>): Promise<Agent> {
  const child = spawn('python3', ['-B', join(packageRoot, PROGRAM), name], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async <T>(request: object): Promise<T> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await lines.next();
    if (line.done) throw new Error(`the measuring process ended: ${errors.trim()}`);
    const answer = JSON.parse(line.value) as T & { readonly ok: boolean; readonly message?: string };
    if (!answer.ok) throw new Error(`the measuring process failed: ${answer.message ?? ''} ${errors.trim()}`);
    return answer;
  };
  await ask({ op: 'open', hosts, vxlanPort });
  return {
    async probe(planned) {
      const { result, arrivals, runs, frames } = await ask<Observation>({ op: 'probe', ...agentProbe(planned) });
      return { result, arrivals, runs, frames };
    },
    async reset() {
      await ask({ op: 'reset' });
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
