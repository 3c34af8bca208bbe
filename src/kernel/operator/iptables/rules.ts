import { linesOf, insertRule, isBaseChain, withChain } from '../../netfilter/iptables/edit.ts';
import { chainOf } from '../../netfilter/iptables/chain.ts';
import { RuleError } from '../../netfilter/iptables/option.ts';
import { buildRuleSpecs, parseRuleSpec } from '../../netfilter/iptables/rule-spec.ts';
import { validateRule } from '../../netfilter/iptables/validate.ts';
import { splitRuleWords } from '../../netfilter/iptables/words.ts';
import { COMMAND_ORIGIN } from '../origin.ts';
import { kernelRefusal, plain, PLAIN, ruleRefusal, versioned } from './message.ts';
import type { Chain, IptablesTables, TableName } from '../../netfilter/iptables/table.ts';
import type { IpSet } from '../../ipset/ipset.ts';
import type { RuleLine } from '../../netfilter/iptables/rule.ts';
import type { RuleSpec } from '../../netfilter/iptables/rule-spec.ts';
import type { Program } from './message.ts';
import type { Command, Request } from './request.ts';

/** What the commands work on. */
export interface Workplace {
  readonly program: Program;
  readonly tables: IptablesTables;
  readonly ipsets: ReadonlyMap<string, IpSet>;
}

type RuleCommand = Extract<Command, { readonly kind: 'append' | 'check' | 'insert' | 'delete' | 'replace' }>;

const OPERATION = {
  append: 'RULE_APPEND',
  check: 'RULE_CHECK',
  insert: 'RULE_INSERT',
  delete: 'RULE_DELETE',
  replace: 'RULE_REPLACE',
};

/** Carries out -A, -I, -R, -D and -C. Throws Refusal. */
export function changeRules(place: Workplace, request: Request, command: RuleCommand): IptablesTables {
  const chain = place.tables.get(request.table)?.chain(command.chain);
  if (command.kind === 'delete' && command.number !== null) return deleteNumbered(place, request.table, chain, command.number);
  const specs = specsOf(place, request, command);
  switch (command.kind) {
    case 'append':
    case 'insert':
      if (!chain && !isBaseChain(request.table, command.chain)) throw plain(place.program, PLAIN.noChain);
      if (command.kind === 'insert' && command.number > (chain?.length ?? 0) + 1)
        throw plain(place.program, PLAIN.insertionTooBig);
      return specs.reduce((tables, spec) => {
        const at =
          command.kind === 'insert' ? command.number - 1 : (tables.get(request.table)?.chain(command.chain)?.length ?? 0);
        const changed = insertRule(tables, request.table, command.chain, lineOf(spec), at, place.program.family);
        checkWithKernel(place, request.table, command, changed, at);
        return changed;
      }, place.tables);
    case 'replace': {
      if (!chain) throw plain(place.program, PLAIN.noChain);
      if (specs.length > 1) throw versioned(place.program, 'Replacement rule does not specify a unique address');
      if (command.number > chain.length) throw plain(place.program, PLAIN.replacementTooBig);
      const at = command.number - 1;
      const changed = withLines(place, request.table, chain, linesOf(chain).with(at, lineOf(specs[0]!)));
      checkWithKernel(place, request.table, command, changed, at);
      return changed;
    }
    case 'delete':
      return specs.reduce((tables, spec) => {
        const present = tables.get(request.table)?.chain(command.chain);
        const at = findRule(place.program, present, spec, request.table);
        return withLines(place, request.table, present!, linesOf(present!).toSpliced(at, 1), tables);
      }, place.tables);
    case 'check':
      for (const spec of specs) findRule(place.program, chain, spec, request.table);
      return place.tables;
  }
}

function deleteNumbered(place: Workplace, table: TableName, chain: Chain | undefined, number: number): IptablesTables {
  if (!chain) throw plain(place.program, PLAIN.noChain);
  if (number > chain.length) throw plain(place.program, PLAIN.deletionTooBig);
  return withLines(place, table, chain, linesOf(chain).toSpliced(number - 1, 1));
}

function withLines(
  place: Workplace,
  table: TableName,
  chain: Chain,
  lines: readonly RuleLine[],
  tables: IptablesTables = place.tables,
): IptablesTables {
  return withChain(tables, table, chainOf(table, chain.name, chain.policy, lines, place.program.family));
}

function lineOf(spec: RuleSpec): RuleLine {
  return { body: spec.body, origin: COMMAND_ORIGIN };
}

/** Compiles the rule of a command line, one for each pair of addresses, and checks what iptables itself checks. */
function specsOf({ program, tables, ipsets }: Workplace, { table, rule }: Request, command: RuleCommand): readonly RuleSpec[] {
  checkInterfaces(program, rule.base, command.chain);
  try {
    checkSets(rule, ipsets);
    const specs = buildRuleSpecs(rule, table, program.family, 'command');
    const { action } = specs[0]!.target;
    if ((action.kind === 'jump' || action.kind === 'goto') && !chainExists(tables, table, action.chain)) {
      throw new RuleError(`Chain '${action.chain}' does not exist`);
    }
    if (specs[0]!.limits.some((limit) => limit.tables && !limit.tables.includes(table)))
      throw new RuleError('Invalid argument', 'kernel');
    return specs;
  } catch (error) {
    if (!(error instanceof RuleError) || error.kind === 'not-modelled') throw error;
    throw ruleRefusal(program, error, OPERATION[command.kind], command.chain);
  }
}

function chainExists(tables: IptablesTables, table: TableName, chain: string): boolean {
  return isBaseChain(table, chain) || tables.get(table)?.chain(chain) !== undefined;
}

function checkInterfaces(program: Program, { inInterface, outInterface }: Request['rule']['base'], chain: string): void {
  if (inInterface && (chain === 'OUTPUT' || chain === 'POSTROUTING')) throw versioned(program, `Can't use -i with ${chain}`);
  if (outInterface && (chain === 'PREROUTING' || chain === 'INPUT')) throw versioned(program, `Can't use -o with ${chain}`);
}

function checkSets({ extensions, target }: Request['rule'], ipsets: ReadonlyMap<string, IpSet>): void {
  const options = [...extensions, ...(target ? [target] : [])].flatMap(({ given }) => [...given.values()]);
  for (const { name, values } of options) {
    if (/^(match|add|del|map)-set$/.test(name) && !ipsets.has(values[0]!)) throw new RuleError(`Set ${values[0]} doesn't exist.`);
  }
}

function checkWithKernel(place: Workplace, table: TableName, command: RuleCommand, changed: IptablesTables, index: number): void {
  const { program } = place;
  const changedTable = changed.get(table)!;
  const problem = validateRule(changedTable, program.family, changedTable.chain(command.chain)!, index);
  if (problem) throw kernelRefusal(program, OPERATION[command.kind], problem.error, `rule in chain ${command.chain}`);
}

/** 0-based number of the first rule that is the same; iptables compares rules as they are stored, not as they were written. */
function findRule(program: Program, chain: Chain | undefined, spec: RuleSpec, table: TableName): number {
  const length = chain?.length ?? 0;
  for (let i = 0; i < length; i++) {
    if (chain!.body(i) === spec.body) return i;
  }
  for (let i = 0; i < length; i++) {
    if (canonicalBody(chain!.body(i), table, program.family) === spec.body) return i;
  }
  throw plain(program, PLAIN.badRule);
}

function canonicalBody(body: string, table: TableName, family: 4 | 6): string {
  try {
    return parseRuleSpec(splitRuleWords(body), table, family, 'dump').body;
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return body;
  }
}
