import type { ExternalHost, Node } from '../../kubernetes/model/cluster.ts';
import type { ExternalName } from '../../kubernetes/model/dns.ts';
import type { IpAddress } from '../../net/ip.ts';
import { nearest } from '../../support/nearest.ts';
import { once } from '../../support/once.ts';
import type { Drafts, ExternalNameDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** The entries of `externalDNS` with the addresses of the hosts that they name. */
export function resolveExternalDns(
  { externalDns, externals }: Pick<Drafts, 'externalDns'> & { readonly externals: readonly ExternalHost[] },
  nodes: readonly Node[],
  problems: Problems,
): readonly ExternalName[] {
  const hosts = once(
    () =>
      new Map<string, readonly IpAddress[]>([
        ...externals.map(({ name, addresses }) => [`external/${name}`, addresses] as const),
        ...nodes.map(({ name, addresses }) => [`node/${name}`, addresses] as const),
      ]),
  );
  return externalDns.map((entry) => ({
    name: entry.name,
    addresses: [...entry.addresses, ...entry.hosts.flatMap((host) => addressesOf(host, entry, hosts(), problems))],
    alias: entry.alias,
  }));
}

function addressesOf(
  host: string,
  entry: ExternalNameDraft,
  hosts: ReadonlyMap<string, readonly IpAddress[]>,
  problems: Problems,
): readonly IpAddress[] {
  const addresses = hosts.get(host);
  if (addresses !== undefined) return addresses;
  const like = nearest(host, hosts.keys());
  const message = `"${entry.name}" of externalDNS is to have the addresses of ${host}, which is not given`;
  problems.error('unknown-host', message, entry.position, like === null ? undefined : `Did you mean "${like}"?`);
  return [];
}
