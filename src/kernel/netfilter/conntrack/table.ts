import { sameTuple, tupleKey } from './tuple.ts';
import type { ConntrackEntry, Direction } from './entry.ts';
import type { Tuple } from './tuple.ts';

interface Found {
  readonly entry: ConntrackEntry;
  readonly direction: Direction;
}

/** Forks laid over each other before their tables are put together: look-ups stay short, and a fork costs the same however full the table. */
const MAX_DEPTH = 16;

/**
 * The confirmed connections of one namespace, found by either direction's tuple. A fork lies over the table it was made of and holds only
 * what differs: new entries, copies of those that were looked up (who finds an entry may change it), and which are gone.
 */
export class ConntrackTable {
  readonly #below: ConntrackTable | null;
  readonly #depth: number;
  /** By the key of a tuple; null: an entry of the table below is gone. */
  readonly #byTuple = new Map<string, Found | null>();
  /** Own copies by the entry of the table below. */
  #copies: Map<ConntrackEntry, ConntrackEntry> | null = null;
  /** The same in one layer, for forks; null: not made, or no longer the same. */
  #merged: ConntrackTable | null = null;

  constructor(below: ConntrackTable | null = null) {
    this.#below = below;
    this.#depth = below === null ? 0 : below.#depth + 1;
  }

  /** A live entry and the direction in which the tuple is its (nf_conntrack_find_get). */
  find(tuple: Tuple, now: number): Found | undefined {
    return this.#live(tupleKey(tuple), now);
  }

  /** Puts an entry in (nf_conntrack_confirm); false when one of its tuples is taken. */
  insert(entry: ConntrackEntry, now: number): boolean {
    const [original, reply] = [tupleKey(entry.original), tupleKey(entry.reply)];
    if (this.#live(original, now) || this.#live(reply, now)) return false;
    entry.confirmed = true;
    this.#put(original, { entry, direction: 'original' });
    this.#put(reply, { entry, direction: 'reply' });
    return true;
  }

  delete(entry: ConntrackEntry): void {
    const own = this.#copies?.get(entry) ?? entry;
    this.#remove(tupleKey(entry.original), own);
    this.#remove(tupleKey(entry.reply), own);
  }

  /** Is this reply tuple used by another connection (nf_conntrack_tuple_taken)? */
  isTaken(tuple: Tuple, by: ConntrackEntry, now: number): boolean {
    const found = this.find(tuple, now);
    return found !== undefined && found.entry !== by && !sameTuple(found.entry.original, by.original);
  }

  /** In the order in which they were put in; not to be changed. */
  entries(): readonly ConntrackEntry[] {
    const entries: ConntrackEntry[] = [];
    const copied = new Set<ConntrackEntry>();
    for (const entry of this.#below?.entries() ?? []) {
      const own = this.#byTuple.get(tupleKey(entry.original));
      const copy = this.#copies?.get(entry);
      if (copy) copied.add(copy);
      if (own === undefined) entries.push(entry);
      else if (own !== null && own.entry === copy) entries.push(copy);
    }
    for (const found of this.#byTuple.values()) {
      if (found?.direction === 'original' && !copied.has(found.entry)) entries.push(found.entry);
    }
    return entries;
  }

  /** An independent copy, which must not be used any more once this table is changed. */
  fork(): ConntrackTable {
    if (this.#byTuple.size === 0) return new ConntrackTable(this.#below);
    if (this.#depth < MAX_DEPTH) return new ConntrackTable(this);
    this.#merged ??= this.#inOneLayer();
    return new ConntrackTable(this.#merged);
  }

  #inOneLayer(): ConntrackTable {
    const table = new ConntrackTable();
    for (const entry of this.entries()) {
      for (const direction of ['original', 'reply'] as const) {
        const key = tupleKey(entry[direction]);
        if (this.#peek(key)?.entry === entry) table.#byTuple.set(key, { entry, direction });
      }
    }
    return table;
  }

  /** Without a copy, and whether it lives or not. */
  #peek(key: string): Found | undefined {
    for (let table: ConntrackTable | null = this; table; table = table.#below) {
      const found = table.#byTuple.get(key);
      if (found !== undefined) return found ?? undefined;
    }
    return undefined;
  }

  #live(key: string, now: number): Found | undefined {
    let found = this.#byTuple.get(key);
    if (found === undefined && this.#below) {
      const below = this.#below.#peek(key);
      if (below) found = this.#copy(below, key);
    }
    if (!found) return undefined;
    if (found.entry.expires > now) return found;
    this.delete(found.entry);
    return undefined;
  }

  /** Takes over what was found in the table below, by both of its tuples. */
  #copy({ entry, direction }: Found, key: string): Found {
    const copy = { ...entry };
    this.#merged = null;
    this.#copies ??= new Map();
    this.#copies.set(entry, copy);
    const found = { entry: copy, direction };
    this.#byTuple.set(key, found);
    const other = direction === 'original' ? 'reply' : 'original';
    const otherKey = tupleKey(entry[other]);
    if (!this.#byTuple.has(otherKey) && this.#peek(otherKey)?.entry === entry) {
      this.#byTuple.set(otherKey, { entry: copy, direction: other });
    }
    return found;
  }

  /** Behind everything that was put in before. */
  #put(key: string, found: Found): void {
    this.#merged = null;
    this.#byTuple.delete(key);
    this.#byTuple.set(key, found);
  }

  #remove(key: string, entry: ConntrackEntry): void {
    const own = this.#byTuple.get(key);
    const below = this.#below ? this.#below.#peek(key) : undefined;
    if (own ? own.entry !== entry : own === null || below?.entry !== entry) return;
    this.#merged = null;
    if (below) this.#byTuple.set(key, null);
    else this.#byTuple.delete(key);
  }
}
