import { startAgent } from './agent.ts';
import { removeLab, runScript } from './machine.ts';
import type { LabCheck } from '../../trace/lab-report.ts';
import type { Campaign, Task } from '../../usecase/lab/campaign.ts';
import type { Observation } from '../../usecase/lab/observation.ts';
import type { LabPlan } from '../../usecase/lab/plan-lab.ts';
import type { Agent } from './agent.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Builds a lab, measures in it and removes it, whatever happens; a signal removes it too and ends the program. */
async function inLab<T>(plan: LabPlan, packageRoot: string, work: (agent: Agent) => Promise<T>): Promise<T> {
  const stop = (signal: NodeJS.Signals): void => {
    removeLab(plan.name);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    await runScript(plan.name, plan.script);
    const agent = await startAgent(packageRoot, plan);
    try {
      return await work(agent);
    } finally {
      await agent.close();
    }
  } finally {
    removeLab(plan.name);
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/**
 * Puts all checks to the kernel. One that differs after others have run in its lab is run again in a lab of its own, and that counts:
 * a kernel remembers more than can be made to forget (how many errors it has sent to whom, for example).
 */
export async function runCampaigns(campaigns: readonly Campaign[], packageRoot: string): Promise<readonly LabCheck[]> {
  const results: LabCheck[] = [];
  for (const { lab, tasks } of campaigns) {
    const first = await runTasks(lab, tasks, packageRoot);
    for (const [i, task] of tasks.entries()) {
      const result = first[i]!;
      results.push(result.agrees || tasks.length === 1 ? result : ((await runTasks(lab, [task], packageRoot))[0] ?? result));
    }
  }
  return results;
}

function runTasks(lab: LabPlan, tasks: readonly Task[], packageRoot: string): Promise<readonly LabCheck[]> {
  return inLab(lab, packageRoot, async (agent) => {
    const results: LabCheck[] = [];
    for (const { probes, judge } of tasks) {
      const observations: Observation[] = [];
      for (const probe of probes) observations.push(await agent.probe(probe));
      results.push(judge(observations));
      await agent.reset();
    }
    return results;
  });
}
