import { splitRuleWords } from '../netfilter/iptables/words.ts';
import { formatElement, parseElement } from './element.ts';
import { dimensionsOf } from './set-type.ts';
import type { IpSet, SetEntry } from './ipset.ts';

/** Sets by name, as a namespace holds them. */
export type IpSets = ReadonlyMap<string, IpSet>;

/** Something in a dump that was passed over or is not modelled. */
export interface IpsetDiagnostic {
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

/**
 * Reads `ipset save` output. A set of a type, or an element, that k8snet does not model is kept as text, so that it prints back; what
 * can't be read is passed over and named.
 */
export function parseIpsetSave(text: string): { readonly sets: IpSets; readonly diagnostics: readonly IpsetDiagnostic[] } {
  const sets = new Map<string, IpSet & { readonly entries: SetEntry[] }>();
  const diagnostics: IpsetDiagnostic[] = [];
  text.split('\n').forEach((line, index) => {
    const message = readLine(line.trim(), sets);
    if (message !== null) diagnostics.push({ line: index + 1, message });
  });
  return { sets, diagnostics };
}

/** Takes a line in; says what is wrong with it, or null. */
function readLine(line: string, sets: Map<string, IpSet & { readonly entries: SetEntry[] }>): string | null {
  if (line === '' || line.startsWith('#')) return null;
  const [command, name, word, ...rest] = splitRuleWords(line);
  if (name === undefined || word === undefined || (command !== 'create' && command !== 'add')) return "can't be read";
  if (command === 'create') {
    sets.set(name, newSet(name, word, rest.join(' ')));
    return dimensionsOf(word) ? null : `a set of type ${word} is not modelled`;
  }
  const set = sets.get(name);
  if (!set) return `there is no set ${name}`;
  const options = optionsText(rest.filter((option) => option !== 'nomatch'));
  const parsed = parseElement(set, word);
  if (typeof parsed === 'string') {
    set.entries.push({ fields: [], nomatch: rest.includes('nomatch'), options: [word, options].filter(Boolean).join(' ') });
    return dimensionsOf(set.type) ? `set ${name}: ${parsed}` : null;
  }
  for (const fields of parsed) set.entries.push({ fields, nomatch: rest.includes('nomatch'), options });
  return null;
}

/** An empty set; its family is in its options ("family inet6"). */
export function newSet(name: string, type: string, options: string): IpSet & { readonly entries: SetEntry[] } {
  return { name, type, family: /(^| )family inet6( |$)/.test(options) ? 6 : 4, options, entries: [] };
}

/** Puts the options of an element back into text; the value behind `comment` is quoted. */
export function optionsText(words: readonly string[]): string {
  return words.map((word, i) => (words[i - 1] === 'comment' ? `"${word}"` : word)).join(' ');
}

/** `ipset save`: sets in their order, those of type list:set last, since they name others. */
export function printIpsetSave(sets: IpSets): string {
  const all = [...sets.values()];
  const ordered = [...all.filter(({ type }) => type !== 'list:set'), ...all.filter(({ type }) => type === 'list:set')];
  return ordered
    .flatMap((set) => [createLine(set), ...set.entries.map((entry) => addLine(set, entry))])
    .map((line) => `${line}\n`)
    .join('');
}

function createLine({ name, type, options }: IpSet): string {
  return ['create', name, type, options].filter(Boolean).join(' ');
}

/** The kernel's order: timeout, nomatch, counters, comment. */
function addLine(set: IpSet, { fields, nomatch, options }: SetEntry): string {
  const [, timeout, others] = /^(timeout \d+)? ?(.*)$/.exec(options)!;
  const words =
    fields.length === 0 ? [options, nomatch && 'nomatch'] : [formatElement(set, fields), timeout, nomatch && 'nomatch', others];
  return ['add', set.name, ...words].filter(Boolean).join(' ');
}
