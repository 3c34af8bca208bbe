import { commandsByHost } from '../../kubernetes/compile.ts';
import { dumpsOf } from '../../kubernetes/model/node-dump.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';

/** Matches and targets that remember packets in a way that can't be reset: counters of statistic, buckets, sets that rules fill. */
const REMEMBERS =
  /--mode nth|-m (limit|hashlimit|quota|connlimit|connbytes|rateest)\b|-j SET\b|\bnumgen inc\b|\b(?:add|update|delete) @/;

/** True when one check of a scenario could change what the next one meets. */
export function needsFreshLab(cluster: Cluster): boolean {
  const commands = [...commandsByHost(cluster).values()].flat();
  return (
    commands.some(({ text }) => REMEMBERS.test(text)) ||
    cluster.nodes.some((node) => dumpsOf(node).some(({ text }) => REMEMBERS.test(text)))
  );
}
