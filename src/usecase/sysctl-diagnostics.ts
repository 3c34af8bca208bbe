import { isIgnoredSetting, isSysctlValue, sysctlKeys, sysctlKind } from '../kernel/operator/sysctl-keys.ts';
import { sysctlPath } from '../kernel/sysctl-write.ts';
import { settingsWithoutEffect } from '../kernel/operator/sysctl.ts';
import { commandsByHost, compile } from '../kubernetes/compile.ts';
import { nearest } from '../support/nearest.ts';
import { once } from '../support/once.ts';
import type { Cluster, Node, SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { withoutCommands } from './laboratory.ts';

/**
 * What is wrong with the sysctls of nodes, each told once: errors for keys that no kernel has and values that it would not take,
 * warnings for settings that k8snet takes no notice of.
 */
export function sysctlDiagnostics(clusters: readonly Cluster[]): readonly Diagnostic[] {
  const told = new Map<string, Diagnostic>();
  for (const cluster of clusters) {
    const compiled = once(() => compile(withoutCommands(cluster)));
    for (const node of cluster.nodes) {
      const devices = once(() => devicesOf(compiled(), node));
      for (const [key, value] of Object.entries(node.sysctls)) {
        const found = ofSetting(node, key, value, devices);
        if (found !== null) told.set(found.message, found);
      }
    }
  }
  return [...told.values()];
}

/** Commands that set what k8snet takes no notice of, each told once. What Linux would refuse is an error where the command runs. */
export function sysctlCommandDiagnostics(commands: Iterable<SetBy>): readonly Diagnostic[] {
  const told = new Map<string, Diagnostic>();
  for (const { host, line, position } of commands) {
    for (const key of settingsWithoutEffect(line)) {
      const message = `${host}: sysctl "${key}" is not modelled, the setting has no effect here`;
      if (!told.has(message)) told.set(message, { severity: 'warning', code: 'not-modelled', message, position });
    }
  }
  return [...told.values()];
}

/** A command line, and where it runs. */
export interface SetBy {
  readonly host: string;
  readonly line: string;
  readonly position: SourcePosition | null;
}

/** All commands of a scenario, those of its steps included. */
export function* commandsOf({ cluster, steps }: Pick<Scenario, 'cluster' | 'steps'>): Generator<SetBy> {
  for (const each of [cluster, ...steps.map((step) => step.cluster)]) {
    for (const [host, commands] of commandsByHost(each)) {
      for (const { text, position } of commands) yield { host, line: text, position };
    }
  }
  for (const { host, line } of steps.flatMap(({ commands }) => commands))
    yield { host, line: line.text, position: line.position };
}

/** null: the cluster has other faults, which are told elsewhere. */
function devicesOf(compiled: ReturnType<typeof compile>, { name }: Node): readonly string[] | null {
  const host = compiled.ok ? compiled.world.host(`node/${name}`) : undefined;
  return host ? [...host.devices.keys()] : null;
}

function ofSetting(node: Node, key: string, value: string, devices: () => readonly string[] | null): Diagnostic | null {
  const path = sysctlPath(key);
  const { position } = node;
  const kind = sysctlKind((device) => devices()?.includes(device) ?? true, path);
  if (kind === 'missing') {
    const like = nearest(path.join('.'), sysctlKeys(devices() ?? []));
    const device = path[2] === 'conf' && path.length === 5 && sysctlKind(() => true, path) !== 'missing' ? path[3] : undefined;
    const why = device === undefined ? 'there is no such key' : `the node has no device "${device}"`;
    const message = `Node ${node.name}: sysctl "${key}": ${why}`;
    const hint = like === null ? 'Keys are those of sysctl -a, such as net.ipv4.ip_forward' : `Did you mean "${like}"?`;
    return { severity: 'error', code: 'unknown-sysctl', message, position, hint };
  }
  if (!isSysctlValue(path, kind, value)) {
    const message = `Node ${node.name}: the kernel takes no "${value}" for sysctl "${key}"`;
    return { severity: 'error', code: 'wrong-value', message, position };
  }
  if (!isIgnoredSetting(path, value)) return null;
  const message = `Node ${node.name}: sysctl "${key}" is not modelled, the setting has no effect here`;
  return { severity: 'warning', code: 'not-modelled', message, position };
}
