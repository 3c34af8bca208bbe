import { conntrackTargets } from './ct.ts';
import { logTargets } from './log.ts';
import { mangleTargets } from './mangle.ts';
import { markTargets } from './mark.ts';
import { natTargets } from './nat.ts';
import { reject } from './reject.ts';
import { setTarget } from './set.ts';
import { verdicts } from './verdict.ts';
import type { TargetModule } from './module.ts';

const MODULES: readonly TargetModule[] = [
  ...verdicts,
  reject,
  setTarget,
  ...logTargets,
  ...markTargets,
  ...conntrackTargets,
  ...natTargets,
  ...mangleTargets,
];

/** Every target that k8snet models, by name. */
export const TARGET_MODULES: ReadonlyMap<string, TargetModule> = new Map(MODULES.map((module) => [module.name, module]));

/** Targets of the kernel that k8snet does not model: -j with such a name is never a jump. */
// biome-ignore format: a table reads better in rows
const OTHER_TARGETS: ReadonlySet<string> = new Set([
  'QUEUE', 'NFQUEUE', 'TPROXY', 'SYNPROXY', 'CLUSTERIP', 'ECN', 'HMARK', 'IDLETIMER', 'LED', 'RATEEST', 'SECMARK', 'CONNSECMARK', 'TEE',
  'TCPOPTSTRIP', 'DNPT', 'SNPT', 'SAME', 'MIRROR', 'TARPIT', 'DELUDE', 'STEAL', 'SYSRQ', 'ROUTE', 'IPMARK', 'ACCOUNT', 'CHAOS', 'FLOWOFFLOAD',
]);

export function isUnmodelledTarget(name: string): boolean {
  return OTHER_TARGETS.has(name);
}
