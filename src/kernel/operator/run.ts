import { bridgeCommand } from './bridge.ts';
import { ipCommand } from './ip.ts';
import { runIpset } from './ipset.ts';
import { isIptablesProgram, runIptables } from './iptables.ts';
import { ipvsadmCommand } from './ipvsadm.ts';
import { notModelled } from './result.ts';
import { sysctlCommand } from './sysctl.ts';
import { splitWords } from './words.ts';
import type { Host } from '../host.ts';
import type { OperatorResult } from './result.ts';

/** Runs one command line of an operator in a namespace: gives the changed host, or the reason why nothing changed. */
export function runCommand(host: Host, line: string): OperatorResult {
  const words = splitWords(line);
  if (words === null) return notModelled('not one plain command: k8snet runs no shell');
  const [first, ...rest] = words[0] === 'sudo' ? words.slice(1) : words;
  if (first === undefined) return notModelled('an empty command line');
  const program = first.replace(/^(\/usr)?\/s?bin\//, '');
  if (program === 'ipset') return runIpset(host, [program, ...rest]);
  if (isIptablesProgram(program)) return runIptables(host, [program, ...rest]);
  switch (program) {
    case 'ip':
      return ipCommand(host, rest);
    case 'bridge':
      return bridgeCommand(host, rest);
    case 'ipvsadm':
      return ipvsadmCommand(host, rest);
    case 'sysctl':
      return sysctlCommand(host, rest);
    default:
      return notModelled(`${program}: not a command that k8snet knows`);
  }
}
