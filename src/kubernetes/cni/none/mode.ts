import { EMPTY_NODE_NETWORK } from '../mode.ts';
import type { CniMode } from '../mode.ts';

/** No CNI: pods that are not in the host's network get no interface but lo. */
export const NONE_MODE: CniMode = {
  portmap: null,
  node: () => EMPTY_NODE_NETWORK,
  pod: () => null,
  rules: () => [],
  underlayRoutes: () => [],
};
