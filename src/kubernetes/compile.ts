import { runCommand } from '../kernel/operator/run.ts';
import { addressHolders } from './address-holders.ts';
import { indexCluster, podKey } from './cluster-index.ts';
import { once } from '../support/once.ts';
import { cniMode } from './cni/select.ts';
import { cloudHost, cniContext, externalHost, nodeHost, podHost, underlayHost } from './hosts.ts';
import { nodeIpvs, nodeNftables, nodeRules } from './node-rules.ts';
import { linksOf } from './underlay/links.ts';
import { NONE_MODE } from './cni/none/mode.ts';
import { RECOGNISE_NOTHING } from './dumped-rules.ts';
import type { RecogniseRules } from './dumped-rules.ts';
import type { Balancer } from './balancer/balancers.ts';
import type { Host, HostName } from '../kernel/host.ts';
import type { World } from '../kernel/world.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { NftRuleset } from '../kernel/netfilter/nftables/ruleset.ts';
import type { Blueprint } from './hosts.ts';
import type { IpvsState } from './kube-proxy/ipvs/index.ts';
import type { CniMode } from './cni/mode.ts';
import type { Cluster, CommandLine, Node, SourcePosition } from './model/cluster.ts';
import type { RuleComponent } from './node-rules.ts';

export interface CompileOptions {
  /** Nobody knows any neighbour yet and bridges have learnt nothing; default false. */
  readonly coldNeighbours?: boolean;
  /** Names of nodes that fail the health checks of a balancer, asked once a packet gets there; default: all are well. */
  readonly unhealthy?: (balancer: Balancer) => ReadonlySet<string>;
  /** Names the makers of the rules of dumps; default: nobody does. */
  readonly recogniseRules?: RecogniseRules;
}

const NONE: ReadonlySet<string> = new Set();

/** Why a cluster can't be compiled, and where the input says so. */
export interface CompileProblem {
  readonly message: string;
  readonly position: SourcePosition | null;
}

export type CompileResult =
  | { readonly ok: true; readonly world: World }
  | { readonly ok: false; readonly problems: readonly CompileProblem[] };

/**
 * Makes of a cluster the namespaces that its controllers would make. Only hosts with commands are built at once (that is where
 * problems come from); all others when a packet first gets there.
 */
export function compile(cluster: Cluster, options: CompileOptions = {}): CompileResult {
  const index = indexCluster(cluster);
  const links = linksOf(cluster);
  const mode = cniMode(cluster.cni, cniContext(index, links));
  const problems: CompileProblem[] = [...links.problems, ...notModelled(mode), ...withoutAddress(cluster)];
  const cni = 'notModelled' in mode ? NONE_MODE : mode;
  const blueprint: Blueprint = {
    index,
    links,
    cni,
    cold: options.coldNeighbours ?? false,
    recogniseRules: options.recogniseRules ?? RECOGNISE_NOTHING,
    unhealthy: options.unhealthy ?? (() => NONE),
  };
  const hosts = new Map<HostName, Host>();
  for (const [name, commands] of commandsByHost(cluster)) {
    const host = buildNamed(name, blueprint);
    if (!host) continue;
    const run = runCommands(host, commands);
    problems.push(...run.problems);
    hosts.set(name, run.host);
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, world: worldOf(blueprint, hosts) };
}

/** The iptables rules that a node should have, without its dump and its commands. */
export function compileNodeIptables(cluster: Cluster, node: Node, component: RuleComponent, family: 4 | 6): IptablesTables {
  return nodeRules(indexCluster(cluster), cniOf(cluster), node, component, family);
}

/** What kube-proxy in IPVS mode should have made on a node, a family each. */
export function compileNodeIpvs(cluster: Cluster, node: Node, component: RuleComponent): readonly IpvsState[] {
  return nodeIpvs(indexCluster(cluster), cniOf(cluster), node, component);
}

/** The nftables tables that a node should have. */
export function compileNodeNftables(cluster: Cluster, node: Node, component: RuleComponent): NftRuleset {
  return nodeNftables(indexCluster(cluster), cniOf(cluster), node, component);
}

function cniOf(cluster: Cluster): CniMode {
  const mode = cniMode(cluster.cni, cniContext(indexCluster(cluster), linksOf(cluster)));
  return 'notModelled' in mode ? NONE_MODE : mode;
}

function worldOf(blueprint: Blueprint, changed: ReadonlyMap<HostName, Host>): World {
  const { index, cold, links, cni } = blueprint;
  const hosts = new Map<HostName, Host | undefined>(changed);
  const holders = once(() => addressHolders(index, ['underlay', ...changed.keys()], cni.ownAddresses));
  return {
    host(name) {
      if (!hosts.has(name)) hosts.set(name, buildNamed(name, blueprint));
      return hosts.get(name);
    },
    *hostNames() {
      const { nodes, pods, externals } = index.cluster;
      for (const { name } of nodes) yield `node/${name}`;
      for (const pod of pods) if (!pod.hostNetwork) yield `pod/${podKey(pod)}`;
      for (const { name } of externals) yield `external/${name}`;
      for (const { balancer } of links.balancers) yield balancer.host;
      yield 'underlay';
    },
    holders: (address) => holders()(address),
    coldNeighbours: cold,
  };
}

function buildNamed(name: HostName, blueprint: Blueprint): Host | undefined {
  const { index } = blueprint;
  const slash = name.indexOf('/');
  const rest = name.slice(slash + 1);
  switch (slash < 0 ? name : name.slice(0, slash)) {
    case 'node': {
      const node = index.node(rest);
      return node && nodeHost(node, blueprint);
    }
    case 'pod': {
      const pod = index.pod(rest);
      return pod && !pod.hostNetwork ? podHost(pod, blueprint) : undefined;
    }
    case 'external': {
      const external = index.external(rest);
      return external && externalHost(external, blueprint);
    }
    case 'balancer': {
      const cabled = blueprint.links.balancers.find(({ balancer }) => balancer.host === name);
      return cabled && cloudHost(cabled, blueprint);
    }
    case 'underlay':
      return slash < 0 ? underlayHost(blueprint) : undefined;
    default:
      return undefined;
  }
}

/** `commands` by host in the order in which the hosts come to be; those of a hostNetwork pod run on its node. */
export function commandsByHost(cluster: Cluster): Map<HostName, readonly CommandLine[]> {
  const byHost = new Map<HostName, CommandLine[]>();
  const add = (host: HostName, commands: readonly CommandLine[]): void => {
    if (commands.length > 0) byHost.set(host, [...(byHost.get(host) ?? []), ...commands]);
  };
  add('underlay', cluster.underlay.commands);
  for (const node of cluster.nodes) add(`node/${node.name}`, node.commands);
  for (const pod of cluster.pods) {
    // Hardly a pod has any: no name is made for the others.
    if (pod.commands.length > 0) add(pod.hostNetwork ? `node/${pod.node}` : `pod/${podKey(pod)}`, pod.commands);
  }
  for (const external of cluster.externals) add(`external/${external.name}`, external.commands);
  return byHost;
}

function runCommands(host: Host, commands: readonly CommandLine[]): { readonly host: Host; readonly problems: CompileProblem[] } {
  const problems: CompileProblem[] = [];
  let current = host;
  for (const { text, position, earlier } of commands) {
    const result = runCommand(current, text);
    if (result.ok) current = result.host;
    else if (!earlier) problems.push({ message: `${host.name}: ${text}: ${result.message}`, position });
  }
  return { host: current, problems };
}

function notModelled(mode: CniMode | { readonly notModelled: string }): CompileProblem[] {
  return 'notModelled' in mode ? [{ message: `${mode.notModelled} is not modelled yet`, position: null }] : [];
}

function withoutAddress(cluster: Cluster): CompileProblem[] {
  return cluster.nodes
    .filter(({ addresses }) => addresses.length === 0)
    .map((node) => ({ message: `node ${node.name} has no address`, position: node.position }));
}
