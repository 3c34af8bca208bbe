import { familyOf } from '../../net/ip.ts';
import type { Cluster } from '../model/cluster.ts';
import { hasNamespace, parseClusterName } from './cluster-names.ts';
import { addressOfDashed, addressOfReverseName, canonicalName, withoutZone } from './names.ts';
import type { DnsAnswer, DnsMiss, DnsRecord, DnsType } from './records.ts';
import { hostsOf, namesOfAddress, serviceNamed } from './service-hosts.ts';
import type { ServiceHost } from './service-hosts.ts';
import { answerOutside } from './upstream.ts';

/** Version of the Kubernetes DNS specification that CoreDNS says it keeps to. */
const SCHEMA_VERSION = '1.1.0';
/** Aliases within the zone that CoreDNS follows. */
const MAX_ALIASES = 8;

/**
 * What cluster DNS answers: CoreDNS with the Corefile that kubeadm writes (zone, in-addr.arpa and ip6.arpa with fallthrough, `pods
 * insecure`, everything else forwarded), by the Kubernetes DNS specification 1.1.0. `name` is absolute; case and a last dot count
 * for nothing.
 */
export function answerQuery(cluster: Cluster, name: string, type: DnsType): DnsAnswer {
  const asked = canonicalName(name);
  const zone = canonicalName(cluster.dnsDomain);
  const base = withoutZone(asked, zone);
  if (base !== null) return answerInZone(cluster, { asked, zone, base, type, aliases: [] });
  return answerReverse(cluster, zone, asked, type) ?? answerOutside(cluster.externalDns, asked, type);
}

/** The zones of reverse names fall through to the world outside where the cluster knows no name. */
function answerReverse(cluster: Cluster, zone: string, asked: string, type: DnsType): DnsAnswer | null {
  const address = type === 'PTR' ? addressOfReverseName(asked) : null;
  const names = address === null ? [] : namesOfAddress(cluster, zone, address);
  if (names.length === 0) return null;
  return answer(
    { asked, type },
    names.map((target) => ({ name: asked, type: 'PTR', target })),
  );
}

interface Query {
  readonly asked: string;
  readonly zone: string;
  /** What stands before the zone. */
  readonly base: string;
  readonly type: DnsType;
  /** Names whose aliases led here. */
  readonly aliases: readonly string[];
}

function answerInZone(cluster: Cluster, query: Query): DnsAnswer {
  const { asked, zone, base, type } = query;
  if (base === 'dns-version' && type === 'TXT') return answer(query, [{ name: asked, type, text: SCHEMA_VERSION }]);
  const wanted = parseClusterName(base);
  if (wanted === null) return nxdomain(query, 'not-a-cluster-name');
  if (wanted.namespace !== null && !hasNamespace(cluster, wanted.namespace)) return nxdomain(query, 'no-such-namespace');
  switch (wanted.kind) {
    case 'parent':
      return nodata(query);
    case 'pod': {
      const address = addressOfDashed(wanted.label);
      if (address === null) return nxdomain(query, 'not-an-address');
      return answerHosts(query, [{ name: asked, address, port: null }], null);
    }
    case 'service': {
      const service = serviceNamed(cluster, wanted);
      if (service === undefined) return nxdomain(query, 'no-such-service');
      const full = `${service.namespace}/${service.name}`;
      const hosts = hostsOf(cluster, zone, service, wanted);
      switch (hosts.kind) {
        case 'miss':
          return nxdomain(query, hosts.miss, full);
        case 'alias':
          return answerAlias(cluster, query, canonicalName(hosts.target), full);
        case 'hosts':
          return answerHosts(query, hosts.hosts, full);
      }
    }
  }
}

/** Addresses of the type's family, or SRV records with the addresses beside them (CoreDNS `plugin.A`, `plugin.SRV`). */
function answerHosts(query: Query, hosts: readonly ServiceHost[], service: string | null): DnsAnswer {
  const { asked, type } = query;
  if (type === 'SRV') {
    const weight = Math.max(1, Math.floor(100 / hosts.length));
    const records = hosts.flatMap(({ name: target, port }): DnsRecord[] =>
      port === null ? [] : [{ name: asked, type, priority: 0, weight, port, target }],
    );
    const additional = hosts.flatMap(({ name, port, address }): DnsRecord[] =>
      port === null ? [] : [{ name, type: familyOf(address) === 4 ? 'A' : 'AAAA', address }],
    );
    return records.length === 0 ? nodata(query, service) : answer(query, distinct(records), service, distinct(additional));
  }
  if (type !== 'A' && type !== 'AAAA') return nodata(query, service);
  const family = type === 'A' ? 4 : 6;
  const addresses = hosts.filter(({ address }) => familyOf(address) === family);
  const records = addresses.map(({ address }): DnsRecord => ({ name: asked, type, address }));
  return records.length === 0 ? nodata(query, service) : answer(query, distinct(records), service);
}

/**
 * The CNAME of an ExternalName service, followed within the zone and, by way of the upstream, outside of it. One that leads nowhere
 * within the zone is left out of the answer, one that leads nowhere outside is told (CoreDNS `plugin.A`).
 */
function answerAlias(cluster: Cluster, query: Query, target: string, service: string): DnsAnswer {
  const { asked, zone, type, aliases } = query;
  const alias: DnsRecord = { name: asked, type: 'CNAME', target };
  if (type === 'CNAME') return answer(query, [alias], service);
  if (type !== 'A' && type !== 'AAAA') return nodata(query, service);
  if (target === asked || aliases.includes(target) || aliases.length >= MAX_ALIASES) {
    return { ...nodata(query, service), miss: 'alias-unresolved' };
  }
  const base = withoutZone(target, zone);
  if (base !== null) {
    const next = answerInZone(cluster, { asked: target, zone, base, type, aliases: [...aliases, asked] });
    return next.answers.length > 0
      ? answer(query, [alias, ...next.answers], service)
      : { ...nodata(query, service), miss: 'alias-unresolved' };
  }
  const outside = answerReverse(cluster, zone, target, type) ?? answerOutside(cluster.externalDns, target, type);
  const isFound = outside.miss === null;
  return { ...answer(query, [alias, ...outside.answers], service), miss: isFound ? null : 'alias-unresolved' };
}

function answer(
  { asked, type }: Pick<Query, 'asked' | 'type'>,
  answers: readonly DnsRecord[],
  service: string | null = null,
  additional: readonly DnsRecord[] = [],
): DnsAnswer {
  return { name: asked, type, rcode: 'NOERROR', answers, additional, from: 'cluster', service, miss: null };
}

function nodata(query: Query, service: string | null = null): DnsAnswer {
  return { ...answer(query, [], service), miss: 'no-such-type' };
}

function nxdomain(query: Query, miss: DnsMiss, service: string | null = null): DnsAnswer {
  return { ...answer(query, [], service), rcode: 'NXDOMAIN', miss };
}

/** Without what is there twice: a service with two ports has its address once. */
function distinct(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => {
    const key = JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    return seen.size < seen.add(key).size;
  });
}
