import { formatIp } from '../../net/ip.ts';
import { commandsByHost } from '../../kubernetes/compile.ts';
import { namespaceNames } from './names.ts';
import { hasIpv6 } from './script/sysctls.ts';
import type { Host } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';
import type { ConnectionRequest } from '../../kernel/walk/connection.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { LabName } from './names.ts';
import type { PlannedProbe } from './verify.ts';

/** A namespace as the measuring process is told of it. */
export interface AgentHost {
  readonly host: string;
  readonly netns: string;
  /** True where rules may be. */
  readonly traced: boolean;
  readonly servers: readonly {
    readonly protocol: string;
    readonly address: string;
    readonly port: number;
    readonly owner: string;
  }[];
}

/** All namespaces of a lab with the servers that run there. */
export function agentHosts(lab: LabName, cluster: Cluster, world: World): readonly AgentHost[] {
  const changed = commandsByHost(cluster);
  return [...namespaceNames(lab, world)].map(([name, netns]) => {
    const host = world.host(name);
    const seen = new Set<string>();
    const servers = (host?.listeners ?? []).flatMap(({ protocol, address, port, owner }) => {
      const key = `${protocol} ${address} ${port}`;
      if (protocol === 'sctp' || seen.has(key)) return [];
      seen.add(key);
      // The wildcard address is one of each family.
      const addresses = address !== null ? [formatIp(address)] : host && hasIpv6(host) ? ['0.0.0.0', '::'] : ['0.0.0.0'];
      return addresses.map((text) => ({ protocol, address: text, port, owner }));
    });
    return {
      host: name,
      netns,
      traced: changed.has(name) || (host !== undefined && hasRules(host)),
      servers,
    };
  });
}

/** Rules whose way nftables' trace tells: its own, and those of iptables-nft. */
function hasRules({ netfilter: { iptables, ip6tables, nftables } }: Host): boolean {
  return iptables.size > 0 || ip6tables.size > 0 || nftables.length > 0;
}

/** A probe as the measuring process is asked to make it. */
export interface AgentProbe
  extends Pick<ConnectionRequest, 'host' | 'protocol' | 'port' | 'sourcePort' | 'payload' | 'dontFragment' | 'ttl'> {
  readonly destination: string;
  readonly sourceAddress: string | null;
  readonly seconds: number;
}

export function agentProbe({ request, seconds }: PlannedProbe): AgentProbe {
  const { host, protocol, port, sourcePort, payload, dontFragment, ttl, destination, sourceAddress } = request;
  return {
    host,
    protocol,
    port,
    sourcePort,
    payload,
    dontFragment,
    ttl,
    seconds,
    destination: formatIp(destination),
    sourceAddress: sourceAddress === null ? null : formatIp(sourceAddress),
  };
}

/** The UDP port of the cluster's VXLAN devices; null when there are none. */
export function vxlanPort(world: World): number | null {
  for (const name of world.hostNames()) {
    for (const device of world.host(name)?.devices.values() ?? []) if (device.kind === 'vxlan') return device.port;
  }
  return null;
}
