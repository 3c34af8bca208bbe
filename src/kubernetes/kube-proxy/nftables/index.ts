import { serviceMapOf } from '../../services/service-map.ts';
import { once } from '../../../support/once.ts';
import { fixedChains } from './fixed-chains.ts';
import { pathOfName, servicePortPath } from './names.ts';
import { ownChains } from './own-chains.ts';
import { portViewOf } from './port-view.ts';
import { affinitySets, fixedSets } from './sets.ts';
import { nftSettingsOf } from './settings.ts';
import type { NftRuleset, NftTable } from '../../../kernel/netfilter/nftables/ruleset.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { Cluster, Node } from '../../model/cluster.ts';

/**
 * The tables `ip kube-proxy` and `ip6 kube-proxy` that kube-proxy in nftables mode makes (pkg/proxy/nftables), for the families asked
 * for. Up to Kubernetes 1.30 it is the table of 1.30, later that of the newest release. Chains of services are made when asked for.
 * @param deviceAddresses addresses of devices the model does not list (a CNI's bridge or tunnel); they count for --nodeport-addresses
 */
export function kubeProxyNftables(
  cluster: Cluster,
  node: Node,
  families: readonly IpFamily[],
  deviceAddresses: readonly IpAddress[] = [],
): NftRuleset {
  return families.map((family) => tableOf(cluster, node, family, deviceAddresses));
}

function tableOf(cluster: Cluster, node: Node, family: IpFamily, deviceAddresses: readonly IpAddress[]): NftTable {
  const settings = nftSettingsOf(cluster, node, family, deviceAddresses);
  const services = serviceMapOf(cluster, family);
  const view = perPort(services.ports.length, (index) => portViewOf(services.ports[index]!, services.endpoints(index), settings));
  const chainsOf = perPort(services.ports.length, (index) => ownChains(view(index)));
  const setsOf = perPort(services.ports.length, (index) => affinitySets(view(index)));
  const sets = new Map(fixedSets({ services, settings, view }).map((set) => [set.name, set]));
  const chains = new Map(fixedChains(settings).map((chain) => [chain.name, chain]));
  const indexByPath = once(() => new Map(services.ports.map((port, index) => [servicePortPath(port), index])));

  /** Service ports among which the owner of an object is: one for a whole name, all for a cut one. */
  const owners = (name: string): Iterable<number> => {
    const path = pathOfName(name);
    if (path === null) return [];
    const index = indexByPath().get(path);
    return index === undefined ? services.ports.keys() : [index];
  };
  return {
    family: settings.ip,
    name: 'kube-proxy',
    comment: 'rules for kube-proxy',
    options: [],
    objects: [],
    set: (name) => sets.get(name) ?? findNamed(owners(name), setsOf, name),
    *sets() {
      yield* sets.values();
      for (let i = 0; i < services.ports.length; i++) yield* setsOf(i);
    },
    chain: (name) => chains.get(name) ?? findNamed(owners(name), chainsOf, name),
    baseChains: () => [...chains.values()].filter(({ base }) => base !== null),
    *chains() {
      yield* chains.values();
      for (let i = 0; i < services.ports.length; i++) yield* chainsOf(i);
    },
  };
}

/** Remembers what was made for each service port. */
function perPort<T>(count: number, make: (index: number) => T): (index: number) => T {
  const made = new Array<T | undefined>(count);
  return (index) => (made[index] ??= make(index));
}

function findNamed<T extends { readonly name: string }>(
  owners: Iterable<number>,
  objectsOf: (index: number) => readonly T[],
  name: string,
): T | undefined {
  for (const owner of owners) {
    const found = objectsOf(owner).find((object) => object.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}
