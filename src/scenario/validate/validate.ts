import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Drafts, PodDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { validateAddresses } from './addresses.ts';
import { validateHosts } from './hosts.ts';
import { validateIngresses } from './ingresses.ts';
import { validateListeners } from './listeners.ts';
import { validateNetwork } from './network.ts';
import { validateProxyMode } from './proxy-mode.ts';
import { validateRanges } from './ranges.ts';
import { validateServices } from './services.ts';
import { validateUnderlay } from './underlay.ts';
import { validateWaysIn } from './ways-in.ts';

/** Tells what cannot be (errors) and what is legal but suspicious (warnings) about a resolved cluster. */
export function validate(cluster: Cluster, drafts: Drafts, pods: readonly PodDraft[], problems: Problems): void {
  validateUnderlay(cluster, drafts, problems);
  validateAddresses(cluster, drafts, problems);
  validateHosts(cluster, pods, problems);
  validateListeners(pods, problems);
  validateRanges(cluster, drafts, problems);
  validateServices(cluster, drafts, problems);
  validateWaysIn(cluster, drafts, problems);
  validateIngresses(cluster, drafts, problems);
  validateNetwork(cluster, problems);
  validateProxyMode(cluster, drafts, problems);
}
