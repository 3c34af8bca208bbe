import { once } from '../support/once.ts';
import { nodeHealth } from './balancer/node-health.ts';
import { originsForDump, originsForNftDump } from './explain/index.ts';
import type { World } from '../kernel/world.ts';
import type { CompileOptions, CompileResult } from '../kubernetes/compile.ts';
import type { CommandLine, Cluster, ProxyMode, SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { NodeHealth } from './balancer/health-check.ts';
import type { Connect } from './explore.ts';

/** The two machines every question needs: what makes kernel state of a cluster, and what walks a packet through it. */
export interface Engine {
  readonly compile: (cluster: Cluster, options: CompileOptions) => CompileResult;
  readonly connect: Connect;
}

/** A compiled cluster to ask questions about. Questions don't change it. */
export interface Laboratory {
  readonly cluster: Cluster;
  readonly world: World;
  /** The same cluster without any operator's commands: what the controllers meant to be there. Compiled when first asked for. */
  readonly healthy: () => World | null;
  readonly connect: Connect;
  /** What the cloud's balancers know of the nodes. */
  readonly health: NodeHealth;
}

/** A command beside those of the cluster's hosts. */
export interface AddedCommand {
  readonly host: string;
  readonly command: string;
  readonly position?: SourcePosition | null;
  /** It ran in an earlier step: where its host, or what it changes, is gone, it is passed over. */
  readonly earlier?: boolean;
}

export interface LaboratoryOptions {
  /** In place of the cluster's own. */
  readonly proxyMode?: ProxyMode;
  /** `--do`, and what steps do: more commands, "HOST: COMMAND", run last. */
  readonly commands?: readonly AddedCommand[];
  readonly coldNeighbours?: boolean;
}

export type LaboratoryResult =
  | { readonly ok: true; readonly laboratory: Laboratory }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Compiles a cluster, changed as the options say. Fails with the commands that are refused. */
export function openLaboratory(cluster: Cluster, options: LaboratoryOptions, engine: Engine): LaboratoryResult {
  const changed = withProxyMode(cluster, options.proxyMode);
  const asked = withCommands(changed, options.commands ?? []);
  if (!asked.ok) return { ok: false, diagnostics: [problem('unknown-host', asked.message, null)] };
  const compileOptions: CompileOptions = {
    coldNeighbours: options.coldNeighbours ?? false,
    recogniseRules: {
      iptables: (tables, family) => originsForDump(tables, changed, family),
      nftables: (ruleset) => originsForNftDump(ruleset, changed),
    },
  };
  const compileHealthy = once((): World | null => {
    const meant = withoutCommands(changed);
    return worldOf(engine.compile(meant, { ...compileOptions, unhealthy: healthOf(meant).unhealthy }));
  });
  const healthOf = (given: Cluster): NodeHealth =>
    nodeHealth({
      cluster: given,
      world: once(() => worldOf(engine.compile(given, compileOptions))),
      healthy: () => compileHealthy(),
      connect: engine.connect,
    });
  const health = healthOf(asked.cluster);
  const compiled = engine.compile(asked.cluster, { ...compileOptions, unhealthy: health.unhealthy });
  if (!compiled.ok) {
    return { ok: false, diagnostics: compiled.problems.map((p) => problem('refused', p.message, p.position)) };
  }
  return {
    ok: true,
    laboratory: { cluster: asked.cluster, world: compiled.world, healthy: compileHealthy, connect: engine.connect, health },
  };
}

function worldOf(compiled: CompileResult): World | null {
  return compiled.ok ? compiled.world : null;
}

/** An error at a place of the input. */
export function problem(code: string, message: string, position: SourcePosition | null): Diagnostic {
  return { severity: 'error', code, message, position };
}

function withProxyMode(cluster: Cluster, mode: ProxyMode | undefined): Cluster {
  return mode === undefined ? cluster : { ...cluster, kubeProxy: { ...cluster.kubeProxy, mode } };
}

type Changed = { readonly ok: true; readonly cluster: Cluster } | { readonly ok: false; readonly message: string };

/** Adds command lines behind a host's own. Hosts are named as references are ("pod/web-1"); a bare name is a node, `underlay` itself. */
function withCommands(cluster: Cluster, commands: readonly AddedCommand[]): Changed {
  let changed = cluster;
  for (const { host, command, position, earlier } of commands) {
    const line: CommandLine = { text: command, position: position ?? null, ...(earlier === true && { earlier }) };
    const next = withCommand(changed, host, line);
    if (!next && earlier === true) continue;
    if (!next)
      return { ok: false, message: `no host "${host}" to run "${command}" on; name a node, pod/NAME, external/NAME or underlay` };
    changed = next;
  }
  return { ok: true, cluster: changed };
}

function withCommand(cluster: Cluster, host: string, line: CommandLine): Cluster | null {
  const add = <T extends { readonly commands: readonly CommandLine[] }>(owner: T): T => ({
    ...owner,
    commands: [...owner.commands, line],
  });
  if (host === 'underlay') return { ...cluster, underlay: add(cluster.underlay) };
  const [kind, ...rest] = host.includes('/') ? host.split('/') : ['node', host];
  const name = rest.at(-1);
  const namespace = rest.length > 1 ? rest[0] : 'default';
  switch (kind) {
    case 'node':
      return replaced(
        cluster.nodes,
        (n) => n.name === name,
        add,
        (nodes) => ({ ...cluster, nodes }),
      );
    case 'pod':
      return replaced(
        cluster.pods,
        (p) => p.name === name && p.namespace === namespace,
        add,
        (pods) => ({ ...cluster, pods }),
      );
    case 'external':
      return replaced(
        cluster.externals,
        (e) => e.name === name,
        add,
        (externals) => ({ ...cluster, externals }),
      );
    default:
      return null;
  }
}

function replaced<T, R>(
  all: readonly T[],
  wanted: (item: T) => boolean,
  change: (item: T) => T,
  build: (changed: readonly T[]) => R,
): R | null {
  const at = all.findIndex(wanted);
  return at < 0 ? null : build([...all.slice(0, at), change(all[at]!), ...all.slice(at + 1)]);
}

/** The cluster as its controllers would leave it: no operator has run a command. */
export function withoutCommands(cluster: Cluster): Cluster {
  return {
    ...cluster,
    nodes: cluster.nodes.map((node) => ({ ...node, commands: [] })),
    pods: cluster.pods.map((pod) => (pod.commands.length > 0 ? { ...pod, commands: [] } : pod)),
    externals: cluster.externals.map((external) => ({ ...external, commands: [] })),
    underlay: { ...cluster.underlay, commands: [] },
  };
}
