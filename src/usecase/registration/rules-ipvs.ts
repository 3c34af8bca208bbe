import { formatVirtualServer } from '../../kernel/ipvs/virtual-server.ts';
import { entrySentence } from './rule-words.ts';
import { fullName, isPlaceOf, withPort } from './words.ts';
import type { IpSet, SetEntry } from '../../kernel/ipset/ipset.ts';
import type { VirtualServer } from '../../kernel/ipvs/virtual-server.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { RegistrationChain, RegistrationEntry } from '../../trace/explanation.ts';
import type { NodeEntries, RulesQuestion } from './rules.ts';

/** The virtual servers of the service, the addresses that kube-ipvs0 has for them, and the sets by which iptables rules know them. */
export function ipvsEntries({ host, service, podAt }: RulesQuestion): NodeEntries {
  const own = host.netfilter.ipvs.filter(({ origin, protocol, address, port }) =>
    origin ? origin.object === `Service ${fullName(service)}` : isPlaceOf(service, protocol, address, port),
  );
  if (own.length === 0) return { entries: [], chains: [] };
  const sets = [...host.netfilter.ipsets.values()];
  const bound = new Set([...(host.devices.get('kube-ipvs0')?.addresses ?? [])].map(({ address }) => address));
  const first = groupNodePorts(own);
  const entries = first.map(({ server, more }): RegistrationEntry => {
    const name = chainName(server);
    const where = [
      ...(bound.has(server.address) ? ['on kube-ipvs0'] : []),
      ...sets.filter((set) => holds(set, server)).map((set) => `in ipset ${set.name}`),
    ];
    const also = more === 0 ? [] : [`${more} more address${more === 1 ? '' : 'es'} of the node alike`];
    return {
      takes: `${withPort(server.address, server.port)}/${server.protocol}`,
      role: server.origin?.role ?? null,
      place: ['IPVS', ...where].join(', '),
      leadsTo: name,
      sentence: [entrySentence(server.origin?.role ?? '', ''), ...also].join(', '),
    };
  });
  return { entries, chains: first.map(({ server }) => chainOf(server, podAt)) };
}

/** A node port has a virtual server on each address of the node; one stands for all. */
function groupNodePorts(servers: readonly VirtualServer[]): readonly { readonly server: VirtualServer; readonly more: number }[] {
  const groups = new Map<string, { readonly server: VirtualServer; more: number }>();
  for (const server of servers) {
    const isNodePort = server.origin?.role === 'node-port';
    const key = isNodePort ? `${server.protocol} ${server.port} ${typeof server.address}` : formatVirtualServer(server);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { server, more: 0 });
    else group.more++;
  }
  return [...groups.values()];
}

function chainName(server: VirtualServer): string {
  return `virtual server ${formatVirtualServer(server)}`;
}

function chainOf(server: VirtualServer, podAt: RulesQuestion['podAt']): RegistrationChain {
  const keeps = server.persistence === null ? '' : `; a client keeps its server for ${server.persistence} s`;
  return {
    name: chainName(server),
    sentence: `scheduler ${server.scheduler} chooses a real server${keeps}`,
    steps: server.realServers.map(({ address, port, weight }, i) => {
      const endpoint = withPort(address, port);
      return { rule: i + 1, sentence: `weight ${weight}`, leadsTo: null, endpoint, pod: podAt(endpoint) };
    }),
  };
}

/** Is the virtual server's address and port in a set of hash:ip,port, or its port in a bitmap? */
function holds({ name, type, entries }: IpSet, { address, port, protocol }: VirtualServer): boolean {
  if (name.startsWith('KUBE-LOOP-BACK')) return false;
  if (type === 'bitmap:port')
    return entries.some(
      ({ fields }) => fields[0]?.kind === 'port' && fields[0].port === port && name.endsWith(protocol.toUpperCase()),
    );
  return type === 'hash:ip,port' && entries.some((entry) => isOf(entry, address, port, protocol));
}

function isOf({ fields }: SetEntry, address: IpAddress, port: number, protocol: string): boolean {
  const [net, service] = fields;
  return (
    net?.kind === 'net' &&
    net.cidr.address === address &&
    service?.kind === 'port' &&
    service.port === port &&
    service.protocol === protocol
  );
}
