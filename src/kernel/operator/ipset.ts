import { newSet } from '../ipset/save-format.ts';
import { dimensionsOf } from '../ipset/set-type.ts';
import { attempt, refuse } from './failure.ts';
import { createOptions } from './ipset/create-options.ts';
import { addEntry, deleteEntry, testEntry } from './ipset/entries.ts';
import { referringTo } from './ipset/references.ts';
import { refused } from './result.ts';
import type { Host } from '../host.ts';
import type { IpSet } from '../ipset/ipset.ts';
import type { IpSets } from '../ipset/save-format.ts';
import type { OperatorResult } from './result.ts';

/** Commands with their other spellings and how many words they need. */
const COMMANDS: readonly { readonly name: string; readonly also: readonly string[]; readonly needs: number }[] = [
  { name: 'create', also: ['-N', '--create', 'n'], needs: 2 },
  { name: 'add', also: ['-A', '--add'], needs: 2 },
  { name: 'del', also: ['-D', '--del'], needs: 2 },
  { name: 'test', also: ['-T', '--test'], needs: 2 },
  { name: 'destroy', also: ['-X', '--destroy', 'x'], needs: 0 },
  { name: 'flush', also: ['-F', '--flush'], needs: 0 },
  { name: 'rename', also: ['-E', '--rename', 'e'], needs: 2 },
  { name: 'swap', also: ['-W', '--swap', 'w'], needs: 2 },
  { name: 'list', also: ['-L', '--list'], needs: 0 },
  { name: 'save', also: ['-S', '--save'], needs: 0 },
  { name: 'version', also: ['-v', '--version'], needs: 0 },
];
/** IPSET_MAXNAMELEN - 1 */
const MAX_NAME = 31;
const NO_SET = 'The set with the given name does not exist';
const PREFIX = 'ipset v7.17: ';

/**
 * Runs an `ipset` command line, split into words, on a host (version 7.17). Listing changes nothing; `test` is refused when the
 * element is not in the set. Entries with a timeout do not expire.
 */
export function runIpset(host: Host, words: readonly string[]): OperatorResult {
  const result = attempt(() => ({ ok: true, host: withSets(host, run(host, words.slice(1))) }));
  const isBare = result.ok || result.kind !== 'refused' || result.message.includes(' is NOT in set ');
  return isBare ? result : refused(PREFIX + result.message);
}

function withSets(host: Host, ipsets: IpSets): Host {
  return { ...host, netfilter: { ...host.netfilter, ipsets } };
}

function run(host: Host, words: readonly string[]): IpSets {
  const exist = words.includes('-exist') || words.includes('-!') || words.includes('--exist');
  const [word, ...given] = words.filter(
    (each) => !/^(-exist|--exist|-!|-quiet|-q|-sorted|-s|-terse|-t|-name|-n|-resolve|-r)$/.test(each),
  );
  if (word === undefined) return refuse('No command specified.');
  const command = COMMANDS.find(({ name, also }) => name === word || also.includes(word));
  if (!command) return refuse(`No command specified: unknown argument ${word}`);
  if (given.length < command.needs) {
    return refuse(`Missing ${given.length === 0 ? '' : 'second '}mandatory argument to command ${command.name}`);
  }
  return execute(host, command.name, given, exist);
}

function execute(host: Host, command: string, given: readonly string[], exist: boolean): IpSets {
  const sets = host.netfilter.ipsets;
  const [first = '', second = '', ...rest] = given;
  switch (command) {
    case 'create':
      return create(sets, first, second, rest, exist);
    case 'add':
      return new Map(sets).set(first, addEntry(sets, find(sets, first), second, rest, exist));
    case 'del':
      return new Map(sets).set(first, deleteEntry(find(sets, first), second, exist));
    case 'test':
      testEntry(find(sets, first), second);
      return sets;
    case 'destroy':
      return destroy(host, first);
    case 'flush':
      return flush(sets, first);
    case 'rename':
      return rename(host, first, second);
    case 'swap':
      return swap(sets, first, second);
    default:
      if (first !== '' && command !== 'version') find(sets, first);
      return sets;
  }
}

function find(sets: IpSets, name: string): IpSet {
  return sets.get(name) ?? refuse(NO_SET);
}

function create(sets: IpSets, name: string, type: string, words: readonly string[], exist: boolean): IpSets {
  if (name.length > MAX_NAME) return refuse(`Syntax error: setname '${name}' is longer than ${MAX_NAME} characters`);
  if (!dimensionsOf(type)) return refuse(`Syntax error: typename '${type}' is unknown`);
  const set = newSet(name, type, createOptions(type, words));
  const present = sets.get(name);
  if (!present) return new Map(sets).set(name, set);
  if (exist && present.type === type && present.options === set.options) return sets;
  return refuse('Set cannot be created: set with the same name already exists');
}

function destroy(host: Host, name: string): IpSets {
  const sets = host.netfilter.ipsets;
  const names = name === '' ? [...sets.keys()] : [find(sets, name).name];
  for (const each of names) {
    // Lists go with their members when all go at once.
    if (referringTo(host, each, name === '')) return refuse('Set cannot be destroyed: it is in use by a kernel component');
  }
  return new Map([...sets].filter(([each]) => !names.includes(each)));
}

function flush(sets: IpSets, name: string): IpSets {
  if (name === '') return new Map([...sets].map(([each, set]) => [each, { ...set, entries: [] }]));
  return new Map(sets).set(name, { ...find(sets, name), entries: [] });
}

function rename(host: Host, from: string, to: string): IpSets {
  const sets = host.netfilter.ipsets;
  const set = find(sets, from);
  if (to.length > MAX_NAME) return refuse(`Syntax error: setname '${to}' is longer than ${MAX_NAME} characters`);
  if (sets.has(to)) return refuse('Set cannot be renamed: a set with the new name already exists');
  if (referringTo(host, from, false)) return refuse('Set cannot be renamed: it is in use by another system');
  return new Map([...sets].map(([name, each]) => (each === set ? [to, { ...set, name: to }] : [name, each])));
}

/** Rules keep the name and see the other content. */
function swap(sets: IpSets, first: string, second: string): IpSets {
  const one = find(sets, first);
  const other = sets.get(second) ?? refuse('Sets cannot be swapped: the second set does not exist');
  if (one.type !== other.type || one.family !== other.family)
    return refuse('The sets cannot be swapped: their type does not match');
  return new Map(sets).set(first, { ...other, name: first }).set(second, { ...one, name: second });
}
