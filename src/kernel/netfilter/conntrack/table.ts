import { sameTuple, tupleKey } from './tuple.ts';
import type { ConntrackEntry, Direction } from './entry.ts';
import type { Tuple } from './tuple.ts';

/** The confirmed connections of one namespace, found by either direction's tuple. */
export class ConntrackTable {
  readonly #byTuple = new Map<string, { readonly entry: ConntrackEntry; readonly direction: Direction }>();

  /** A live entry and the direction in which the tuple is its (nf_conntrack_find_get). */
  find(tuple: Tuple, now: number): { readonly entry: ConntrackEntry; readonly direction: Direction } | undefined {
    const found = this.#byTuple.get(tupleKey(tuple));
    if (found && found.entry.expires <= now) {
      this.delete(found.entry);
      return undefined;
    }
    return found;
  }

  /** Puts an entry in (nf_conntrack_confirm); false when one of its tuples is taken. */
  insert(entry: ConntrackEntry, now: number): boolean {
    if (this.find(entry.original, now) || this.find(entry.reply, now)) return false;
    entry.confirmed = true;
    this.#byTuple.set(tupleKey(entry.original), { entry, direction: 'original' });
    this.#byTuple.set(tupleKey(entry.reply), { entry, direction: 'reply' });
    return true;
  }

  delete(entry: ConntrackEntry): void {
    for (const tuple of [entry.original, entry.reply]) {
      const key = tupleKey(tuple);
      if (this.#byTuple.get(key)?.entry === entry) this.#byTuple.delete(key);
    }
  }

  /** Is this reply tuple used by another connection (nf_conntrack_tuple_taken)? */
  isTaken(tuple: Tuple, by: ConntrackEntry, now: number): boolean {
    const found = this.find(tuple, now);
    return found !== undefined && found.entry !== by && !sameTuple(found.entry.original, by.original);
  }

  entries(): readonly ConntrackEntry[] {
    const entries: ConntrackEntry[] = [];
    for (const { entry, direction } of this.#byTuple.values()) if (direction === 'original') entries.push(entry);
    return entries;
  }

  /** An independent copy. */
  copy(): ConntrackTable {
    const table = new ConntrackTable();
    const copies = new Map<ConntrackEntry, ConntrackEntry>();
    for (const [key, { entry, direction }] of this.#byTuple) {
      const copied = copies.get(entry) ?? { ...entry };
      copies.set(entry, copied);
      table.#byTuple.set(key, { entry: copied, direction });
    }
    return table;
  }
}
