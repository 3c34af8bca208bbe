import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCampaigns } from '../../src/cli/lab/session.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { engine } from '../../src/usecase/engine.ts';
import { planCampaigns } from '../../src/usecase/lab/campaign.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { LabCheck } from '../../src/trace/lab-report.ts';

/** The package's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const TOOLS = ['ip', 'bridge', 'sysctl', 'iptables-restore', 'ipset', 'nft', 'python3'];

/** Why namespaces can't be built and measured here; null when they can. */
export const LAB_OBSTACLE: string | null = obstacle();

/** " (needs root)" behind the name of a suite that is skipped. */
export const WHY_SKIPPED = LAB_OBSTACLE === null ? '' : ` (skipped: ${LAB_OBSTACLE})`;

/** In CI nothing may be skipped. */
export function requireLabInCi(): void {
  test.runIf(process.env.CI)('labs can be built in CI', () => expect(LAB_OBSTACLE).toBeNull());
}

/** Reads a scenario file and what it names. @throws Error with what is wrong with it */
export function scenarioOf(file: string): Scenario {
  const readFile = (path: string): string | null => {
    const full = join(dirname(file), path);
    return existsSync(full) ? readFileSync(full, 'utf8') : null;
  };
  const loaded = loadScenario([{ name: file, text: readFileSync(file, 'utf8') }], { readFile });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('\n'));
  return loaded.scenario;
}

/** Commands that are run behind a scenario's own, by host. */
export type MoreCommands = readonly { readonly host: string; readonly command: string }[];

/** Puts the checks of a scenario to the kernel. */
export async function verifyChecks(
  scenario: Scenario,
  checks: Scenario['checks'],
  commands: MoreCommands = [],
): Promise<readonly LabCheck[]> {
  const lab = `k8snet-test${process.pid}`;
  const { campaigns, refused } = planCampaigns(scenario, checks, { lab, namespace: 'default', commands }, engine);
  return [...refused, ...(await runCampaigns(campaigns, ROOT))];
}

/** Names of network namespaces on this machine. */
export function namespaces(): readonly string[] {
  return existsSync('/run/netns') ? readdirSync('/run/netns').sort() : [];
}

function obstacle(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = TOOLS.find((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error);
  if (missing !== undefined) return `needs ${missing}`;
  if (!existsSync('/proc/sys/net/bridge')) return 'needs the kernel module br_netfilter';
  return /nf_tables/.test(spawnSync('iptables', ['--version'], { encoding: 'utf8' }).stdout) ? null : 'needs iptables-nft';
}
