import { byDestinationHash, bySourceHash } from './hash.ts';
import { byMaglevHash } from './maglev.ts';
import { formatVirtualServer } from '../virtual-server.ts';
import type { IpvsConnectionTable, IpvsEnd } from '../connection-table.ts';
import type { RealServer, VirtualServer } from '../virtual-server.ts';

/** What a scheduler may ask. */
export interface ScheduleInput {
  readonly server: VirtualServer;
  readonly client: IpvsEnd;
  readonly table: IpvsConnectionTable;
  readonly now: number;
  /** One of several by chance: the position of the alternative, whose weights add up to 1. */
  readonly pick: (what: string, weights: readonly number[]) => number;
}

/**
 * The real server for a new connection (ip_vs_*.c, schedule); null: none takes it. The hashes (sh, dh, mh) decide by themselves. The
 * turn of rr and wrr depends on every connection before, and of equally busy servers (lc, wlc, sed, nq) on the order in which they were
 * added: there it is a choice.
 */
export function schedule(input: ScheduleInput): RealServer | null {
  const { server, client } = input;
  const inOrder = kernelOrder(server.realServers);
  const usesPort = server.schedulerFlags.some((flag) => flag === 'sh-port' || flag === 'mh-port');
  switch (server.scheduler) {
    case 'sh':
      return bySourceHash(inOrder, client.address, usesPort ? client.port : 0);
    case 'mh':
      return byMaglevHash(inOrder, client.address, usesPort ? client.port : 0);
    case 'dh':
      return byDestinationHash(inOrder, server.address);
    case 'lc':
      return choose(
        input,
        leastBusy(input, ({ active, inactive }) => active * 256 + inactive),
      );
    case 'wlc':
      return choose(
        input,
        leastBusy(input, ({ active, inactive }, weight) => (active * 256 + inactive) / weight),
      );
    case 'sed':
      return choose(
        input,
        leastBusy(input, ({ active }, weight) => (active + 1) / weight),
      );
    case 'nq': {
      const idle = leastBusy(input, ({ active }) => (active === 0 ? 0 : 1));
      const isIdle = idle.some((real) => input.table.load(server, real, input.now).active === 0);
      return choose(input, isIdle ? idle : leastBusy(input, ({ active }, weight) => (active + 1) / weight));
    }
    case 'fo': {
      const highest = Math.max(0, ...server.realServers.map(({ weight }) => weight));
      return choose(
        input,
        server.realServers.filter(({ weight }) => weight > 0 && weight === highest),
      );
    }
    case 'wrr':
      return choose(input, usable(server), ({ weight }) => weight);
    default:
      return choose(input, usable(server));
  }
}

const orders = new WeakMap<readonly RealServer[], readonly RealServer[]>();

/** __ip_vs_update_dest puts each new real server in front of those before it. */
function kernelOrder(servers: readonly RealServer[]): readonly RealServer[] {
  const order = orders.get(servers) ?? servers.toReversed();
  orders.set(servers, order);
  return order;
}

function usable({ realServers }: VirtualServer): readonly RealServer[] {
  return realServers.filter(({ weight }) => weight > 0);
}

type Overhead = (load: ReturnType<IpvsConnectionTable['load']>, weight: number) => number;

/** All real servers with the smallest overhead. */
function leastBusy({ server, table, now }: ScheduleInput, overhead: Overhead): readonly RealServer[] {
  const loads = usable(server).map((real) => ({ real, overhead: overhead(table.load(server, real, now), real.weight) }));
  const least = Math.min(...loads.map((load) => load.overhead));
  return loads.filter((load) => load.overhead === least).map(({ real }) => real);
}

function choose(
  { server, pick }: ScheduleInput,
  candidates: readonly RealServer[],
  share: (real: RealServer) => number = () => 1,
): RealServer | null {
  if (candidates.length <= 1) return candidates[0] ?? null;
  const total = candidates.reduce((sum, real) => sum + share(real), 0);
  return (
    candidates[
      pick(
        `ipvs ${formatVirtualServer(server)}`,
        candidates.map((real) => share(real) / total),
      )
    ] ?? null
  );
}
