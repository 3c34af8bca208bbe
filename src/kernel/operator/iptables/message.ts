import type { RuleError } from '../../netfilter/iptables/option.ts';

/** Which program speaks. */
export interface Program {
  readonly name: 'iptables' | 'ip6tables';
  readonly family: 4 | 6;
  readonly legacy: boolean;
}

/** How libiptc puts an errno (iptc_strerror, nft_strerror), printed behind "iptables: ". */
export const PLAIN = {
  noChain: 'No chain/target/match by that name.',
  chainExists: 'Chain already exists.',
  fileExists: 'File exists.',
  badRule: 'Bad rule (does a matching rule exist in that chain?).',
  insertionTooBig: 'Index of insertion too big.',
  replacementTooBig: 'Index of replacement too big.',
  deletionTooBig: 'Index of deletion too big.',
  notEmpty: 'Directory not empty.',
  tooManyLinks: 'Too many links.',
  badPolicyName: "Bad policy name. Run `dmesg' for more information.",
  badBuiltIn: 'Bad built-in chain name.',
} as const;

/** A command that can't be carried out; its message is the whole line that the program prints. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** "iptables: No chain/target/match by that name." */
export function plain(program: Program, text: (typeof PLAIN)[keyof typeof PLAIN]): Refusal {
  return new Refusal(`${program.name}: ${text}`);
}

/** "iptables v1.8.9 (nf_tables): unknown option ..." */
export function versioned(program: Program, text: string): Refusal {
  return new Refusal(`${program.name} v1.8.9 (${program.legacy ? 'legacy' : 'nf_tables'}): ${text}`);
}

/** What the kernel said when it was given a rule or a chain ("RULE_APPEND"). */
export function kernelRefusal(program: Program, operation: string, errno: string, object: string): Refusal {
  if (program.legacy) return new Refusal(`${program.name}: ${errno}. Run \`dmesg' for more information.`);
  return versioned(program, ` ${operation} failed (${errno}): ${object}`);
}

/** What a fault in a rule's words becomes. */
export function ruleRefusal(program: Program, error: RuleError, operation: string, chain: string): Refusal {
  if (error.kind === 'kernel') return kernelRefusal(program, operation, error.message, `rule in chain ${chain}`);
  return error.message.startsWith('Bad argument ') ? new Refusal(error.message) : versioned(program, error.message);
}
