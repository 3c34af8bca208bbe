import type { DnsConfig, DnsPolicy, PodDns } from '../../kubernetes/model/dns.ts';
import type { Container, Key, Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { readIp } from './addresses.ts';
import type { Reader } from './reader.ts';
import type { Strictness } from './service-spec.ts';

/** The keys of a PodSpec that decide names. */
export const POD_DNS_KEYS: readonly string[] = ['hostname', 'subdomain', 'dnsPolicy', 'dnsConfig'];

const POLICIES: readonly DnsPolicy[] = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'];
/** The API server's limits (MaxDNSNameservers, MaxDNSSearchPaths). */
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;

/** What a PodSpec, or a pod of the short form, says of names; undefined where it says nothing beyond the defaults. */
export function readPodDns(reader: Reader, spec: Mapping, strictness: Strictness): PodDns | undefined {
  const policyText = valueAt(spec, 'dnsPolicy');
  const says = policyText !== undefined && policyText !== 'ClusterFirst';
  if (!says && spec.hostname === undefined && spec.subdomain === undefined && spec.dnsConfig === undefined) return undefined;
  const policy = reader.oneOf(spec, 'dnsPolicy', POLICIES) ?? 'ClusterFirst';
  const config = readDnsConfig(reader, spec, 'dnsConfig', strictness) ?? null;
  if (policy === 'None' && (config === null || config.nameservers.length === 0)) {
    const message = 'dnsPolicy None needs a nameserver in "dnsConfig"';
    reader.problems.error('missing-key', message, reader.position(spec, 'dnsPolicy'));
  }
  return {
    hostname: readLabel(reader, spec, 'hostname') ?? null,
    subdomain: readLabel(reader, spec, 'subdomain') ?? null,
    policy,
    config,
  };
}

/** A dnsConfig of a PodSpec, or a node's resolvConf, which has the same form. */
export function readDnsConfig(reader: Reader, container: Container, key: Key, strictness: Strictness): DnsConfig | undefined {
  const config = reader.mapping(container, key);
  if (config === undefined) return undefined;
  if (strictness === 'strict') reader.allowOnly(config, `"${key}"`, ['nameservers', 'searches', 'options']);
  const nameservers = reader.items(config, 'nameservers', (list, i) => readIp(reader, list, i)) ?? [];
  const searches = reader.texts(config, 'searches') ?? [];
  if (nameservers.length > MAX_NAMESERVERS) reader.wrong(config, 'nameservers', `a list of at most ${MAX_NAMESERVERS} addresses`);
  if (searches.length > MAX_SEARCHES) reader.wrong(config, 'searches', `a list of at most ${MAX_SEARCHES} domains`);
  return { nameservers, searches, options: reader.mappings(config, 'options', (item) => readOption(reader, item)) ?? [] };
}

function readOption(reader: Reader, item: Mapping): DnsConfig['options'][number] | undefined {
  const name = reader.requiredName(item, 'name', 'An option of resolv.conf');
  return name === undefined ? undefined : { name, value: reader.text(item, 'value') ?? null };
}

/** A DNS label (RFC 1123); an empty text is none. */
function readLabel(reader: Reader, spec: Mapping, key: string): string | undefined {
  const label = reader.text(spec, key);
  if (label === undefined || label === '') return undefined;
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) return label;
  return reader.wrong(spec, key, 'a DNS label: lower-case letters, digits and "-"');
}
