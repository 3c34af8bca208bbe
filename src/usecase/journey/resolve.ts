import { familyOf, formatIp } from '../../net/ip.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import { answerQuery } from '../../kubernetes/dns/answer-query.ts';
import { addressesOf } from '../../kubernetes/dns/records.ts';
import type { DnsAnswer, DnsRecord, DnsType } from '../../kubernetes/dns/records.ts';
import { nextCandidate } from '../../kubernetes/dns/search.ts';
import { answerOutside } from '../../kubernetes/dns/upstream.ts';
import type { QueryResult } from '../../kubernetes/dns/search.ts';
import type { ResolvConf } from '../../kubernetes/dns/resolv-conf.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Choices } from '../../kernel/walk/choices.ts';
import type { ConnectionResult } from '../../kernel/walk/connection.ts';
import type { KernelState } from '../../kernel/state.ts';
import { formatEndpoint, holderOf } from '../refs/lookup.ts';
import type { Source } from '../refs/source.ts';
import { indexOf } from './index-of.ts';
import { arrived, connectTo, end } from './step.ts';
import type { Move, Step } from './step.ts';
import { whyUnresolved } from './unresolved.ts';

/** A name that a client looks up before it connects. */
export interface NameQuestion {
  readonly cluster: Cluster;
  readonly source: Source;
  /** The client's own resolver: whom it asks, and for what. */
  readonly resolvConf: ResolvConf;
  /** As the client writes it. */
  readonly name: string;
  /** SRV: a named port is looked up, and with it the addresses. */
  readonly service: { readonly port: string; readonly protocol: string } | null;
}

/** What a name came down to. */
export interface Resolved {
  /** The name that was found: one of the search list. */
  readonly name: string;
  readonly addresses: readonly IpAddress[];
  /** Of an SRV record. */
  readonly port: number | null;
  /** null: /etc/hosts said it. */
  readonly answer: DnsAnswer | null;
}

/** What is done with an answer. */
export type Use = (resolved: Resolved, choices: Choices, state: KernelState) => Move;

const DNS_PORT = 53;
/** Ports of a resolver's queries; a real kernel draws them at random. */
const FIRST_PORT = 46000;

/**
 * Looks a name up as a resolver does: one name of the search list after the other, until one has an address. Every query is a connection
 * of its own, over UDP 53.
 */
export function resolve(question: NameQuestion, use: Use): Move {
  const { name, service } = question;
  const wanted = service === null ? name : `_${service.port}._${service.protocol}.${name}`;
  return ask({ question, use, wanted, types: typesOf(question), results: [], missed: [], type: 0, server: 0, asked: 0 });
}

/** How far a look-up has come. */
interface Lookup {
  readonly question: NameQuestion;
  readonly use: Use;
  readonly wanted: string;
  readonly types: readonly DnsType[];
  /** What came of the names of the search list so far. */
  readonly results: readonly QueryResult[];
  /** Answers that held nothing. */
  readonly missed: readonly DnsAnswer[];
  /** Index of the type that is asked for next, and of the server that is asked. */
  readonly type: number;
  readonly server: number;
  /** Queries so far. */
  readonly asked: number;
}

/** A host asks for addresses of the families that it has itself (getaddrinfo, AI_ADDRCONFIG). */
function typesOf({ source, service }: NameQuestion): readonly DnsType[] {
  if (service !== null) return ['SRV'];
  const families = new Set<IpFamily>(source.addresses.map(familyOf));
  return families.size === 0 ? ['A'] : [...families].map((family) => (family === 4 ? 'A' : 'AAAA'));
}

function ask(lookup: Lookup): Move {
  const { question, wanted, types, results, missed } = lookup;
  const { cluster, resolvConf } = question;
  const name = nextCandidate(wanted, resolvConf, results);
  const server = resolvConf.nameservers[lookup.server];
  const type = types[lookup.type] ?? 'A';
  if (name === null || server === undefined) {
    const isLost = results.some((result) => result === 'timeout' || result === 'refused');
    return end({ verdict: 'unresolved', cause: isLost ? null : whyUnresolved(cluster, question.name, missed, question) });
  }
  const answerOf = (result: ConnectionResult): DnsAnswer =>
    isClusterDns(cluster, result.server) ? answerQuery(cluster, name, type) : answerOutside(cluster.externalDns, name, type);
  const step: Step = {
    ...queryTo(question, server, lookup.asked),
    purpose: 'resolve',
    text: `${type} ${name}`,
    answer: (result) => answerText(answerOf(result)),
    // Which server of the cluster's DNS answers makes no difference to what follows.
    alike: (result) => (result.verdict === 'connected' ? `${isClusterDns(cluster, result.server)}` : endOf(result)),
    next: (result, choices, state) => {
      if (!arrived(step, result)) return notAnswered(lookup, result);
      return answered(lookup, answerOf(result), choices, state);
    },
  };
  return connectTo(step);
}

/** How and where a query was lost. */
function endOf({ verdict, losses }: ConnectionResult): string {
  return [verdict, ...losses.map(({ host, reason }) => `${host} ${reason}`)].join();
}

/** Is this one of the pods behind the service of cluster DNS? Whatever address it was asked by, it knows the cluster's names. */
function isClusterDns(cluster: Cluster, server: string | null): boolean {
  if (server === null || !server.startsWith('pod/')) return false;
  const key = server.slice('pod/'.length);
  if (indexOf(cluster).pod(key)?.labels['k8s-app'] === 'kube-dns') return true;
  return cluster.endpointSlices.some(
    ({ namespace, service, endpoints }) =>
      namespace === 'kube-system' && service === 'kube-dns' && endpoints.some(({ pod }) => pod === key),
  );
}

/** Another server is asked; behind the last one the resolver goes on as glibc does. Every name is first asked of the first server. */
function notAnswered(lookup: Lookup, { verdict }: ConnectionResult): Move {
  const next = { ...lookup, asked: lookup.asked + 1 };
  const server = lookup.server + 1;
  if (server < lookup.question.resolvConf.nameservers.length) return ask({ ...next, server });
  return ask({ ...next, type: 0, server: 0, results: [...lookup.results, verdict === 'refused' ? 'refused' : 'timeout'] });
}

function answered(lookup: Lookup, answer: DnsAnswer, choices: Choices, state: KernelState): Move {
  const next = { ...lookup, asked: lookup.asked + 1, server: 0 };
  const { question, types, results } = lookup;
  if (answer.miss === null) return lookup.use(resolvedBy(answer, question.cluster, choices), choices, state);
  const missed = [...lookup.missed, answer];
  if (lookup.type + 1 < types.length) return ask({ ...next, missed, type: lookup.type + 1 });
  return ask({ ...next, missed, type: 0, results: [...results, answer.rcode === 'NXDOMAIN' ? 'NXDOMAIN' : 'NODATA'] });
}

/** Of several SRV records one is picked by its weight (RFC 2782); all have one priority here. */
function resolvedBy(answer: DnsAnswer, cluster: Cluster, choices: Choices): Resolved {
  const records = answer.answers.filter((record) => record.type === 'SRV');
  const { name } = answer;
  if (records.length === 0) return { name, addresses: addressesOf(answer), port: null, answer };
  const total = records.reduce((sum, record) => sum + srvWeight(record), 0);
  const picked =
    records.length === 1
      ? 0
      : choices.pick(
          `SRV ${name}`,
          records.map((record) => srvWeight(record) / total),
        );
  const record = records[picked]!;
  const target = record.type === 'SRV' ? record.target : name;
  const addresses = answer.additional.flatMap((more) =>
    more.name === target && (more.type === 'A' || more.type === 'AAAA') ? [more.address] : [],
  );
  const found = addresses.length > 0 ? addresses : addressesOf(answerQuery(cluster, target, 'A'));
  return { name, addresses: found, port: record.type === 'SRV' ? record.port : null, answer };
}

function srvWeight(record: DnsRecord): number {
  return record.type === 'SRV' ? Math.max(1, record.weight) : 1;
}

function queryTo({ source, cluster }: NameQuestion, server: IpAddress, asked: number): Omit<Step, 'purpose' | 'text' | 'next'> {
  const holder = holderOf(cluster, server);
  return {
    pin: null,
    source,
    destination: {
      label: formatEndpoint(server, DNS_PORT),
      address: server,
      port: DNS_PORT,
      protocol: 'udp',
      pod: holder?.kind === 'pod' ? holder.pod : null,
      assumptions: [],
    },
    request: {
      host: source.host,
      owner: source.owner,
      protocol: 'udp',
      destination: server,
      port: DNS_PORT,
      sourcePort: FIRST_PORT + asked,
      sourceAddress: null,
      payload: null,
      dontFragment: null,
      ttl: null,
      // Without its answer there is no connection to speak of.
      noReply: false,
    },
  };
}

/** What an answer says, in a few words: "10.96.0.20", "CNAME shop.example.com, 203.0.113.9", "NXDOMAIN". */
export function answerText({ rcode, answers, miss }: DnsAnswer): string {
  if (rcode !== 'NOERROR') return rcode;
  if (answers.length === 0) return 'no such record (NOERROR)';
  const records = answers.map(recordText);
  const shown = records.slice(0, SHOWN).join(', ') + (records.length > SHOWN ? ` and ${records.length - SHOWN} more` : '');
  return miss === null ? shown : `${shown}, which leads nowhere`;
}

function recordText(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return formatIp(record.address);
    case 'CNAME':
    case 'PTR':
      return `${record.type} ${record.target}`;
    case 'SRV':
      return `port ${record.port} of ${record.target}`;
    case 'TXT':
      return record.text;
  }
}

/** Records that are told one by one. */
const SHOWN = 4;
