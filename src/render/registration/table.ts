import { wrap } from '../style.ts';

/** Rows of text in columns as wide as their widest cell; the last one is free. Lines have no blanks at their end. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const first = padded(rows.map((row) => row.slice(0, -1)));
  return rows.map((row, i) => [...(row.length > 1 ? [first[i]!] : []), row.at(-1) ?? ''].join(GAP).trimEnd());
}

/** The same, and the last column is as wide as its widest cell too: something is to stand beside. */
export function padded(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join(GAP));
}

const GAP = '  ';

/** A first part, and prose beside it that is wrapped below its own beginning. Prose that has too little room goes below, indented. */
export function beside(first: string, prose: string, width: number, gap = 2): readonly string[] {
  if (prose === '') return [first.trimEnd()];
  const at = first.length + gap;
  if (at + Math.min(prose.length, LEAST_ROOM) > width) {
    const indent = /^ */.exec(first)![0].length + 4;
    return [first.trimEnd(), ...wrap(prose, Math.max(width - indent, LEAST_ROOM)).map((line) => ' '.repeat(indent) + line)];
  }
  return wrap(prose, width - at).map((line, i) => (i === 0 ? first + ' '.repeat(gap) : ' '.repeat(at)) + line);
}

const LEAST_ROOM = 24;

/** "a", "a, b and 3 more" */
export function firstOf(names: readonly string[], most: number): string {
  return names.length <= most ? names.join(', ') : `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
}

/** "1 pod", "3 pods" */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** "shop/web-1" without the namespace that goes without saying. */
export function within(name: string, namespace: string): string {
  return name.startsWith(`${namespace}/`) ? name.slice(namespace.length + 1) : name;
}

/** "shop" of "shop/web" */
export function namespaceOf(name: string): string {
  return name.split('/', 1)[0]!;
}
