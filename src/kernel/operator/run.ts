import { notModelled } from './result.ts';
import { splitWords } from './words.ts';
import type { Host } from '../host.ts';
import type { OperatorResult } from './result.ts';

/** Runs one command line of an operator in a namespace: gives the changed host, or the reason why nothing changed. */
export function runCommand(host: Host, line: string): OperatorResult {
  void host;
  const words = splitWords(line);
  if (words === null) return notModelled('not one plain command: k8snet runs no shell');
  return notModelled(`${words[0] ?? ''}: not a command that k8snet knows`);
}
