import type { ClusterDraft } from '../drafts.ts';
import { readCidrs } from '../reading/addresses.ts';
import { doubtAboutVersion, parseVersion } from '../reading/version.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';

/** The `cluster` key. */
export function readCluster(reader: Reader, cluster: Mapping): ClusterDraft {
  reader.allowOnly(cluster, 'cluster', ['name', 'podCIDR', 'serviceCIDR', 'dnsDomain', 'kubernetesVersion']);
  const rangesKey = ['podCIDR', 'serviceCIDR'].find((key) => valueAt(cluster, key) !== undefined);
  return {
    name: reader.text(cluster, 'name'),
    podCidrs: readCidrs(reader, cluster, 'podCIDR'),
    serviceCidrs: readCidrs(reader, cluster, 'serviceCIDR'),
    dnsDomain: reader.string(cluster, 'dnsDomain'),
    kubernetesVersion: readVersion(reader, cluster),
    rangesPosition: rangesKey === undefined ? undefined : reader.source.keyPosition(cluster, rangesKey),
  };
}

function readVersion(reader: Reader, cluster: Mapping): ClusterDraft['kubernetesVersion'] {
  const value = valueAt(cluster, 'kubernetesVersion');
  if (value === undefined) return undefined;
  const version = typeof value === 'string' ? parseVersion(value) : null;
  const doubt = version === null ? null : doubtAboutVersion(version);
  if (doubt !== null) {
    const position = reader.position(cluster, 'kubernetesVersion');
    reader.problems.warning('unknown-version', `kubernetesVersion ${String(value)}: ${doubt}`, position);
  }
  return (
    version ??
    reader.wrong(
      cluster,
      'kubernetesVersion',
      'a version such as "1.30"',
      typeof value === 'number' ? 'Write it in quotes' : undefined,
    )
  );
}
