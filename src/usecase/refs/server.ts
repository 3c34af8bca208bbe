import { familyOf, formatIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import { holderOf } from './lookup.ts';
import { parseRef } from './parse.ts';
import { found, refused } from './ref.ts';
import { resolveSource } from './source.ts';
import type { Result } from './ref.ts';

/** Who should answer, for `backend` and `expect.server`. */
export interface Server {
  /** As outcomes name it: "pod/default/web-1". */
  readonly name: string;
  readonly addresses: readonly IpAddress[];
}

/** Resolves the name of a server: a pod, node, external host, or the address (a port behind it is allowed) of one. */
export function resolveServer(cluster: Cluster, text: string, namespace: string): Result<Server> {
  const parsed = parseRef(text);
  if (parsed.ok && parsed.value.form === 'address') {
    const { address } = parsed.value;
    const holder = holderOf(cluster, address);
    if (!holder) return found({ name: formatIp(address), addresses: [address] });
    if (holder.kind === 'pod') return found({ name: `pod/${holder.pod.namespace}/${holder.pod.name}`, addresses: [address] });
    return found({
      name: holder.kind === 'node' ? `node/${holder.node.name}` : `external/${holder.external.name}`,
      addresses: [address],
    });
  }
  if (parsed.ok && parsed.value.form === 'object' && parsed.value.kind === 'svc') {
    return refused(`"${text}" is no server: a Service has no process; name one of its pods`);
  }
  const withoutPort = text.replace(/:[^:/]*$/, '');
  const source = resolveSource(cluster, withoutPort, namespace);
  return source.ok ? found({ name: source.value.owner, addresses: source.value.addresses }) : source;
}

/** Families of a list of addresses, in its order. */
export function familiesOf(addresses: readonly IpAddress[]): readonly (4 | 6)[] {
  return [...new Set(addresses.map(familyOf))];
}
