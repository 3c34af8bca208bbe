import { chainOf, tableOf } from '../netfilter/iptables/chain.ts';
import { RuleError } from '../netfilter/iptables/option.ts';
import { TABLE_HOOKS } from '../netfilter/iptables/table.ts';
import { changeChains } from './iptables/chains.ts';
import { Refusal, ruleRefusal } from './iptables/message.ts';
import { readRequest } from './iptables/request.ts';
import { changeRules } from './iptables/rules.ts';
import { notModelled, refused } from './result.ts';
import type { Host } from '../host.ts';
import type { IptablesTables, TableName } from '../netfilter/iptables/table.ts';
import type { Program } from './iptables/message.ts';
import type { Request } from './iptables/request.ts';
import type { Workplace } from './iptables/rules.ts';
import type { OperatorResult } from './result.ts';

/** Programs that run here; plain names are the nf_tables variant, as on today's distributions. */
const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ['iptables', { name: 'iptables', family: 4, legacy: false }],
  ['iptables-nft', { name: 'iptables', family: 4, legacy: false }],
  ['iptables-legacy', { name: 'iptables', family: 4, legacy: true }],
  ['ip6tables', { name: 'ip6tables', family: 6, legacy: false }],
  ['ip6tables-nft', { name: 'ip6tables', family: 6, legacy: false }],
]);

/** True for a command word that {@link runIptables} takes. */
export function isIptablesProgram(name: string): boolean {
  return PROGRAMS.has(name);
}

/**
 * Runs an `iptables`, `ip6tables` or `iptables-legacy` command line, split into words, on a host (version 1.8.9). Listing and
 * zeroing change nothing. A rule is refused for the reasons of iptables and the kernel, in their words; a module, target or option
 * that k8snet does not model is 'not-modelled'. As in the nf_tables variant a base chain is made by its first rule or policy.
 */
export function runIptables(host: Host, words: readonly string[]): OperatorResult {
  const program = PROGRAMS.get(words[0] ?? '');
  if (!program) return notModelled(`${words[0] ?? ''} is not modelled`);
  try {
    const request = readRequest(words.slice(1), program.family);
    const place = { program, tables: tablesOf(host, program, request.table), ipsets: host.netfilter.ipsets };
    return { ok: true, host: withTables(host, program, run(place, request)) };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    if (!(error instanceof RuleError)) throw error;
    return error.kind === 'not-modelled'
      ? notModelled(`${program.name}: ${error.message}`)
      : refused(ruleRefusal(program, error, '', '').message);
  }
}

function run(place: Workplace, request: Request): IptablesTables {
  const { table, command } = request;
  switch (command.kind) {
    case 'append':
    case 'check':
    case 'insert':
    case 'delete':
    case 'replace':
      return changeRules(place, request, command);
    default:
      return changeChains(place, table, command);
  }
}

function tablesOf(host: Host, program: Program, table: TableName): IptablesTables {
  const { netfilter } = host;
  if (!program.legacy) return program.family === 4 ? netfilter.iptables : netfilter.ip6tables;
  const tables = netfilter.iptablesLegacy ?? new Map();
  return tables.has(table) ? tables : new Map(tables).set(table, legacyTable(table));
}

/** iptables-legacy loads a table whole, with all its base chains. */
function legacyTable(table: TableName) {
  return tableOf(
    table,
    TABLE_HOOKS[table].map((hook) => chainOf(table, hook, 'ACCEPT', [])),
  );
}

function withTables(host: Host, program: Program, tables: IptablesTables): Host {
  const { netfilter } = host;
  const field = program.legacy ? 'iptablesLegacy' : program.family === 4 ? 'iptables' : 'ip6tables';
  return { ...host, netfilter: { ...netfilter, [field]: tables } };
}
