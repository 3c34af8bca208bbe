import { chainOf } from '../../netfilter/iptables/chain.ts';
import { isBaseChain, linesOf, withChain, withoutChain } from '../../netfilter/iptables/edit.ts';
import { RuleError } from '../../netfilter/iptables/option.ts';
import { isUnmodelledTarget, TARGET_MODULES } from '../../netfilter/iptables/target/index.ts';
import { kernelRefusal, plain, PLAIN, versioned } from './message.ts';
import type { Chain, IptablesTables, TableName } from '../../netfilter/iptables/table.ts';
import type { Command } from './request.ts';
import type { Workplace } from './rules.ts';

type ChainCommand = Exclude<Command, { readonly kind: 'append' | 'check' | 'insert' | 'delete' | 'replace' }>;

/** XT_EXTENSION_MAXNAMELEN - 1 */
const MAX_CHAIN_NAME = 28;

/** Carries out -F, -X, -N, -P, -E, -Z, -L and -S. Throws Refusal. */
export function changeChains(place: Workplace, table: TableName, command: ChainCommand): IptablesTables {
  const { program, tables } = place;
  const find = (name: string) => tables.get(table)?.chain(name);
  switch (command.kind) {
    case 'list':
    case 'zero':
      if (command.chain !== null && !find(command.chain) && !isBaseChain(table, command.chain))
        throw plain(program, PLAIN.noChain);
      return tables;
    case 'flush':
      return flush(place, table, command.chain);
    case 'new-chain':
      checkName(place, command.chain);
      if (find(command.chain) || isBaseChain(table, command.chain)) throw plain(program, PLAIN.chainExists);
      return withChain(tables, table, chainOf(table, command.chain, null, [], program.family));
    case 'delete-chain':
      return command.chain === null ? deleteAll(place, table) : deleteChain(place, table, command.chain);
    case 'policy':
      return setPolicy(place, table, command.chain, command.policy);
    case 'rename':
      return rename(place, table, command.chain, command.to);
  }
}

function flush({ program, tables }: Workplace, table: TableName, name: string | null): IptablesTables {
  const present = tables.get(table);
  if (name !== null && !present?.chain(name)) {
    if (isBaseChain(table, name)) return tables;
    throw plain(program, PLAIN.noChain);
  }
  const names = name === null ? [...(present?.chainNames() ?? [])] : [name];
  return names.reduce((changed, each) => {
    const chain = changed.get(table)!.chain(each)!;
    return chain.length === 0 ? changed : withChain(changed, table, chainOf(table, each, chain.policy, [], program.family));
  }, tables);
}

function checkName({ program }: Workplace, name: string): void {
  if (name.startsWith('-') || name.startsWith('!')) throw versioned(program, "chain name not allowed to start with `-' or `!'");
  if (name.length > MAX_CHAIN_NAME)
    throw versioned(program, `chain name \`${name}' too long (must be under ${MAX_CHAIN_NAME + 1} chars)`);
  if (TARGET_MODULES.has(name) || isUnmodelledTarget(name)) throw versioned(program, 'chain name may not clash with target name');
  if (/\s/.test(name)) throw versioned(program, `Invalid chain name \`${name}'`);
}

function setPolicy({ program, tables }: Workplace, table: TableName, name: string, policy: string): IptablesTables {
  if (!isBaseChain(table, name)) throw plain(program, PLAIN.badBuiltIn);
  if (policy !== 'ACCEPT' && policy !== 'DROP') throw plain(program, PLAIN.badPolicyName);
  if (table === 'nat' && policy === 'DROP') {
    throw versioned(program, 'The "nat" table is not intended for filtering, the use of DROP is therefore inhibited.');
  }
  const chain = tables.get(table)?.chain(name);
  return withChain(tables, table, chainOf(table, name, policy, chain ? linesOf(chain) : [], program.family));
}

function deleteChain(place: Workplace, table: TableName, name: string): IptablesTables {
  const { program, tables } = place;
  const chain = tables.get(table)?.chain(name);
  if (!chain) {
    if (isBaseChain(table, name)) return tables;
    throw plain(program, PLAIN.noChain);
  }
  if (isBaseChain(table, name)) {
    if (program.legacy) throw plain(program, PLAIN.noChain);
    if (chain.length > 0 || chain.policy === 'DROP') throw plain(program, PLAIN.notEmpty);
    return withoutChain(tables, table, name);
  }
  checkUnused(place, table, chain, []);
  return withoutChain(tables, table, name);
}

/** The kernel removes all user chains at once or none; empty base chains go with them, others stay. */
function deleteAll(place: Workplace, table: TableName): IptablesTables {
  const names = [...(place.tables.get(table)?.chainNames() ?? [])];
  const user = names.filter((name) => !isBaseChain(table, name));
  for (const name of user) checkUnused(place, table, place.tables.get(table)!.chain(name)!, user);
  const empty = names.filter((name) => {
    const chain = place.tables.get(table)!.chain(name)!;
    return isBaseChain(table, name) && !place.program.legacy && chain.length === 0 && chain.policy !== 'DROP';
  });
  return [...user, ...empty].reduce((tables, name) => withoutChain(tables, table, name), place.tables);
}

function checkUnused({ program, tables }: Workplace, table: TableName, chain: Chain, leaving: readonly string[]): void {
  const referenced = [...tables.get(table)!.chainNames()].some(
    (name) => !leaving.includes(name) && leadsTo(tables.get(table)!.chain(name)!, chain.name),
  );
  if (chain.length === 0 && !referenced) return;
  if (program.legacy) throw plain(program, referenced ? PLAIN.tooManyLinks : PLAIN.notEmpty);
  throw kernelRefusal(program, 'CHAIN_DEL', 'Device or resource busy', `chain ${chain.name}`);
}

function leadsTo(chain: Chain, target: string): boolean {
  for (let i = 0; i < chain.length; i++) {
    if (isJumpTo(chain.body(i), target)) return true;
  }
  return false;
}

/** A rule's target stands last, a jump's has no options. */
function isJumpTo(body: string, chain: string): boolean {
  return body.endsWith(`-j ${chain}`) || body.endsWith(`-g ${chain}`);
}

/** Jumps follow a renamed chain: they know it by itself, not by its name. */
function rename(place: Workplace, table: TableName, name: string, to: string): IptablesTables {
  const { program, tables } = place;
  checkName(place, to);
  const chain = tables.get(table)?.chain(name);
  if (tables.get(table)?.chain(to) || isBaseChain(table, to)) throw plain(program, PLAIN.fileExists);
  if (isBaseChain(table, name)) throw new RuleError('renaming a built-in chain is not modelled', 'not-modelled');
  if (!chain) throw plain(program, PLAIN.noChain);
  const others = [...tables.get(table)!.chainNames()].filter((other) => other !== name);
  const referring = others.filter((other) => leadsTo(tables.get(table)!.chain(other)!, name));
  const moved = withChain(withoutChain(tables, table, name), table, chainOf(table, to, null, linesOf(chain), program.family));
  return referring.reduce((changed, other) => {
    const { policy, ...old } = changed.get(table)!.chain(other)!;
    const lines = linesOf(changed.get(table)!.chain(other)!).map((line) =>
      isJumpTo(line.body, name) ? { ...line, body: line.body.slice(0, -name.length) + to } : line,
    );
    return withChain(changed, table, chainOf(table, old.name, policy, lines, program.family));
  }, moved);
}
