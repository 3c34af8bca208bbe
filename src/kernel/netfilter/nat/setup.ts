import { invertTuple, sameTuple } from '../conntrack/tuple.ts';
import { uniqueTuple } from './unique-tuple.ts';
import type { ConntrackEntry } from '../conntrack/entry.ts';
import type { ConntrackTable } from '../conntrack/table.ts';
import type { Manip } from './manipulate.ts';
import type { NatRange } from './range.ts';

/** A range that allows everything. */
export const ANY_RANGE: NatRange = {
  minAddress: null,
  maxAddress: null,
  minPort: null,
  maxPort: null,
  random: false,
  randomFully: false,
  persistent: false,
};

/** Has this side's NAT been decided for the connection (nf_nat_initialized)? */
export function isInitialised(entry: ConntrackEntry, manip: Manip): boolean {
  return manip === 'src' ? entry.snatDone : entry.dnatDone;
}

/** nf_nat_setup_info: decides one side of an unconfirmed connection's NAT by altering its reply tuple. */
export function setupNat(entry: ConntrackEntry, range: NatRange, manip: Manip, table: ConntrackTable, now: number): void {
  if (entry.confirmed || isInitialised(entry, manip)) return;
  const current = invertTuple(entry.reply);
  if (!current) return;
  const { tuple, random } = uniqueTuple({ original: current, range, manip, entry, table, now });
  if (!sameTuple(tuple, current)) {
    const reply = invertTuple(tuple);
    if (reply) entry.reply = reply;
    if (manip === 'src') entry.snat = true;
    else entry.dnat = true;
    if (random) entry.randomPort = true;
  }
  if (manip === 'src') entry.snatDone = true;
  else entry.dnatDone = true;
}

/** nf_nat_alloc_null_binding: no chain had anything to say: keep the address, and the port if it is free. */
export function setupNullBinding(entry: ConntrackEntry, manip: Manip, table: ConntrackTable, now: number): void {
  const address = manip === 'src' ? entry.reply.dst : entry.reply.src;
  setupNat(entry, { ...ANY_RANGE, minAddress: address, maxAddress: address }, manip, table, now);
}
