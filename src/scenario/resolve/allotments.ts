import type { IpAddress } from '../../net/ip.ts';

/** What earlier steps of a scenario have handed out: it stays with its holder as long as that is there. */
export interface Allotments {
  /** Where a pod, by "namespace/name", runs and which addresses it has. */
  readonly pods: ReadonlyMap<string, { readonly node: string; readonly addresses: readonly IpAddress[] }>;
  /** Addresses that pods and services have had: nobody else gets them within the scenario. */
  readonly retired: ReadonlySet<IpAddress>;
}

/** At the start of a scenario nothing has been handed out. */
export const NO_ALLOTMENTS: Allotments = { pods: new Map(), retired: new Set() };
