import { compareIp, parseIp } from '../../../net/ip.ts';
import { parseElement } from '../../ipset/element.ts';
import { elementKey, setHoldsElement } from '../../ipset/lookup.ts';
import { optionsText } from '../../ipset/save-format.ts';
import { hasSetFlag, setOption } from '../../ipset/set-type.ts';
import { refuse, unmodelled } from '../failure.ts';
import type { IpSets } from '../../ipset/save-format.ts';
import type { IpSet, SetEntry, SetField } from '../../ipset/ipset.ts';

/** Options of `add` with how many words follow, and the option of `create` that they need. */
const ENTRY_OPTIONS: ReadonlyMap<
  string,
  { readonly args: 0 | 1; readonly needs?: 'timeout' | 'comment' | 'counters' | 'skbinfo' }
> = new Map([
  ['timeout', { args: 1, needs: 'timeout' }],
  ['comment', { args: 1, needs: 'comment' }],
  ['packets', { args: 1, needs: 'counters' }],
  ['bytes', { args: 1, needs: 'counters' }],
  ['skbmark', { args: 1, needs: 'skbinfo' }],
  ['skbprio', { args: 1, needs: 'skbinfo' }],
  ['skbqueue', { args: 1, needs: 'skbinfo' }],
  ['nomatch', { args: 0 }],
  ['wildcard', { args: 0 }],
  ['before', { args: 1 }],
  ['after', { args: 1 }],
]);

/** `ipset add`: the set with one more entry, or several for a range. */
export function addEntry(sets: IpSets, set: IpSet, text: string, optionWords: readonly string[], exist: boolean): IpSet {
  const options = readOptions(set, optionWords);
  const keys = new Set(set.entries.map((entry) => elementKey(entry.fields)));
  const added: SetEntry[] = [];
  for (const fields of elementsOf(set, text)) {
    checkStorable(sets, set, fields);
    if (keys.has(elementKey(fields))) {
      if (!exist) refuse("Element cannot be added to the set: it's already added");
      continue;
    }
    added.push({ fields, nomatch: options.has('nomatch'), options: entryOptions(set, options) });
  }
  if (set.entries.length + added.length > Number(setOption(set.options, 'maxelem') ?? Infinity))
    refuse('Hash is full, cannot add more elements');
  return { ...set, entries: placed(set.entries, added, options) };
}

/** `ipset del` */
export function deleteEntry(set: IpSet, text: string, exist: boolean): IpSet {
  const keys = new Set(set.entries.map((entry) => elementKey(entry.fields)));
  const gone = new Set(elementsOf(set, text).map(elementKey));
  if (!exist && [...gone].some((key) => !keys.has(key))) refuse("Element cannot be deleted from the set: it's not added");
  return { ...set, entries: set.entries.filter((entry) => !gone.has(elementKey(entry.fields))) };
}

/** `ipset test`: ends the command when the element is not in the set. */
export function testEntry(set: IpSet, text: string): void {
  if (!elementsOf(set, text).every((fields) => setHoldsElement(set, fields))) refuse(`${text} is NOT in set ${set.name}.`);
}

function elementsOf(set: IpSet, text: string): readonly (readonly SetField[])[] {
  const elements = parseElement(set, text);
  if (typeof elements !== 'string') return elements;
  return elements.includes('not modelled') || elements.includes('more than')
    ? unmodelled(elements.replace(/ is not modelled$/, ''))
    : refuse(elements);
}

function readOptions(set: IpSet, words: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (let i = 0; i < words.length; ) {
    const name = words[i++]!;
    const option = ENTRY_OPTIONS.get(name);
    if (!option || ((name === 'before' || name === 'after') && set.type !== 'list:set'))
      return refuse(`Unknown argument: \`${name}'`);
    if (option.needs && !hasSetFlag(set.options, option.needs)) {
      const title = option.needs[0]!.toUpperCase() + option.needs.slice(1);
      refuse(`${title} cannot be used: set was created without ${option.needs} support`);
    }
    given.set(name, option.args === 0 ? '' : (words[i++] ?? refuse(`Missing mandatory argument of option \`${name}'`)));
  }
  return given;
}

/** The options of an entry as `ipset save` prints them; a set with timeouts gives each entry its own. */
function entryOptions(set: IpSet, given: ReadonlyMap<string, string>): string {
  const timeout = given.get('timeout') ?? setOption(set.options, 'timeout');
  const words = timeout === undefined ? [] : ['timeout', timeout];
  if (given.has('wildcard')) words.push('wildcard');
  if (hasSetFlag(set.options, 'counters')) words.push('packets', given.get('packets') ?? '0', 'bytes', given.get('bytes') ?? '0');
  for (const name of ['skbmark', 'skbprio', 'skbqueue', 'comment']) {
    if (given.has(name)) words.push(name, given.get(name)!);
  }
  return optionsText(words);
}

/** What the kernel refuses about an element of a set. */
function checkStorable(sets: IpSets, set: IpSet, fields: readonly SetField[]): void {
  for (const field of fields) {
    if (field.kind === 'set') {
      const member = sets.get(field.name);
      if (!member) refuse('Set to be added/deleted/tested as element does not exist.');
      else if (member.type === 'list:set') refuse('Sets with list:set type cannot be added to the set.');
    }
    if (field.kind === 'net' && set.type.startsWith('hash:ip') && Number(field.cidr.address) === 0 && field.cidr.length > 0) {
      refuse('Null-valued element, cannot be stored in a hash type of set');
    }
  }
  if (!withinRange(set, fields[0])) refuse('Element is out of the range of the set');
}

function withinRange(set: IpSet, field: SetField | undefined): boolean {
  const range = set.type.startsWith('bitmap:') ? setOption(set.options, 'range') : undefined;
  if (range === undefined || !field) return true;
  const [low, high] = range.split('-') as [string, string];
  if (field.kind === 'port') return field.port >= Number(low) && field.port <= Number(high);
  if (field.kind !== 'net') return true;
  return compareIp(field.cidr.address, parseIp(low)!) >= 0 && compareIp(field.cidr.address, parseIp(high)!) <= 0;
}

/** list:set keeps its members in order: "before X", "after X". */
function placed(
  entries: readonly SetEntry[],
  added: readonly SetEntry[],
  options: ReadonlyMap<string, string>,
): readonly SetEntry[] {
  const other = options.get('before') ?? options.get('after');
  if (other === undefined) return [...entries, ...added];
  const at = entries.findIndex(({ fields: [field] }) => field?.kind === 'set' && field.name === other);
  if (at < 0) refuse('The set to which the other set should be placed does not exist in the list');
  return entries.toSpliced(options.has('before') ? at : at + 1, 0, ...added);
}
