import type { IpAddress } from '../../net/ip.ts';
import type { NeighbourTable } from '../host.ts';
import type { NeighbourEntry } from './neighbour.ts';

/** The table with an entry set by hand, in place of one for the same device and address. */
export function withNeighbour(table: NeighbourTable, entry: NeighbourEntry): NeighbourTable {
  return changed(table, (device, address) => (sameKey(entry, device, address) ? entry : undefined), [entry]);
}

/** The table without the entries that `gone` names; what was learnt is forgotten too. */
export function withoutNeighbours(table: NeighbourTable, gone: (device: string, address: IpAddress) => boolean): NeighbourTable {
  return changed(table, (device, address) => (gone(device, address) ? null : undefined), []);
}

/** `override` says null for "no entry", undefined for "as before". */
function changed(
  table: NeighbourTable,
  override: (device: string, address: IpAddress) => NeighbourEntry | null | undefined,
  added: readonly NeighbourEntry[],
): NeighbourTable {
  return {
    get: (device, address) => {
      const entry = override(device, address);
      return entry === undefined ? table.get(device, address) : (entry ?? undefined);
    },
    *permanent() {
      for (const entry of table.permanent()) if (override(entry.device, entry.address) === undefined) yield entry;
      yield* added;
    },
  };
}

function sameKey(entry: NeighbourEntry, device: string, address: IpAddress): boolean {
  return entry.device === device && entry.address === address;
}
