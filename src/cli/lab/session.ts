import { startAgent } from './agent.ts';
import { removeLab, runScript } from './machine.ts';
import type { LabCheck } from '../../trace/lab-report.ts';
import type { Campaign } from '../../usecase/lab/campaign.ts';
import type { Observation } from '../../usecase/lab/observation.ts';
import type { LabPlan } from '../../usecase/lab/plan-lab.ts';
import type { Agent } from './agent.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Builds a lab, measures in it and removes it, whatever happens; a signal removes it too and ends the program. */
export async function inLab<T>(plan: LabPlan, packageRoot: string, work: (agent: Agent) => Promise<T>): Promise<T> {
  const stop = (signal: NodeJS.Signals): void => {
    removeLab(plan.name);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    await runScript(plan.script);
    const agent = await startAgent(packageRoot, plan.hosts, plan.vxlanPort);
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

/** Builds the lab of a campaign and makes its connections; nothing of a check is left when the next begins. */
export async function runCampaign({ lab, tasks }: Campaign, packageRoot: string): Promise<readonly LabCheck[]> {
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
