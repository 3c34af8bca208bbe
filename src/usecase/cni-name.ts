import { assertNever } from '../support/assert-never.ts';
import type { CniConfig } from '../kubernetes/model/cluster.ts';

/** How reports name the pod network: "flannel vxlan", "docker". */
export function cniName(cni: CniConfig): string {
  switch (cni.plugin) {
    case 'flannel':
      return `flannel ${cni.backend}`;
    case 'none':
    case 'docker':
    case 'bridge':
    case 'weave':
      return cni.plugin;
    default:
      return assertNever(cni);
  }
}
