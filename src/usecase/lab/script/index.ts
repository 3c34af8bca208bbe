import { printIpsetSave } from '../../../kernel/ipset/save-format.ts';
import { printRuleset } from '../../../kernel/netfilter/nftables/print.ts';
import { commandsByHost } from '../../../kubernetes/compile.ts';
import { LabError } from '../lab-error.ts';
import { namespaceNames } from '../names.ts';
import { commandText } from './commands.ts';
import { linkCommands, portCommands, redirectCommands, upCommands } from './devices.ts';
import type { Nowhere } from './devices.ts';
import { firewallText } from './firewall.ts';
import { LISTENER_PROGRAM, listenerArguments } from './listeners.ts';
import { fdbCommands, holdersOf, neighbourCommands } from './neighbours.ts';
import { routeCommands, routingRuleCommands } from './routes.ts';
import { restoreText } from './rules.ts';
import { comment, hereDocument } from './shell.ts';
import { PLAIN_SETTINGS, deviceSysctls, earlySysctls } from './sysctls.ts';
import type { Host, HostName } from '../../../kernel/host.ts';
import type { World } from '../../../kernel/world.ts';
import type { Cluster } from '../../../kubernetes/model/cluster.ts';
import type { LabName } from '../names.ts';

export interface ScriptOptions {
  /** false: no servers are started. */
  readonly listeners: boolean;
}

/**
 * A shell script that builds a cluster of network namespaces. `world` is the cluster as compiled without `commands`; these are run in
 * the end as they are written.
 * @throws LabError for what namespaces can't show, or what would reach beyond them
 */
export function labScript(lab: LabName, cluster: Cluster, world: World, options: ScriptOptions): string {
  const namespaces = namespaceNames(lab, world);
  const hosts = [...namespaces].map(([name, namespace]): LabHost => {
    const host = world.host(name);
    if (!host) throw new LabError(`there is no host ${name}`);
    return { host, namespace };
  });
  return [
    header(lab),
    section('Namespaces. Settings come first: devices take them over when they are born.', hosts.map(namespaceText)),
    section('Devices', devicesText(hosts, world, namespaces, `${lab}-nowhere`)),
    section(
      'Routes',
      hosts.map(
        ({ host, namespace }) =>
          ipText(namespace, host.name, [...routeCommands(host), ...routingRuleCommands(host, 4)]) +
          batch('ip -6', namespace, `${host.name}: rules of IPv6`, routingRuleCommands(host, 6)),
      ),
    ),
    section('Neighbours and forwarding databases', neighboursText(hosts, world)),
    section(
      'Settings of single devices',
      hosts.map(({ host, namespace }) => sysctlText(namespace, deviceSysctls(host))),
    ),
    section('Rules', [...hosts.map(rulesText), firewallSection(hosts, cluster)]),
    options.listeners ? section('Servers', listenersText(hosts)) : '',
    section('Commands of the operator', commandLines(cluster, namespaces)),
  ].join('');
}

interface LabHost {
  readonly host: Host;
  readonly namespace: string;
}

function header(lab: LabName): string {
  return `#!/bin/sh
# Builds a cluster of network namespaces, for root on one Linux machine. Nothing outside these namespaces is changed.
#   look around:   ip netns exec ${lab}-... bash
#   remove it all: k8snet lab down, or: ip netns | grep -o '^${lab}-[^ ]*' | while read -r n; do
#                  ip netns pids "$n" | xargs -r kill -9; ip netns del "$n"; done
set -euf

# A new namespace takes these from the machine's own, whose owner may have changed them: back to the kernel's defaults, and no IPv6 unless it is wanted.
plain() {
  ip netns exec "$1" sysctl -q -w \\
    ${PLAIN_SETTINGS.map(([key, value]) => `${key}=${value}`).join(' \\\n    ')}
}

# The kernel notices plugged cables a moment later; until then ports don't forward.
settled() {
  tries=0
  while ip -n "$1" -br link show type veth | grep -q -e ' DOWN ' -e ' LOWERLAYERDOWN '; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { echo "$1: a veth pair does not come up" >&2; exit 1; }
    sleep 0.02
  done
}
`;
}

function section(title: string, texts: readonly string[]): string {
  const body = texts.filter((text) => text !== '').join('');
  return body === '' ? '' : `\n\n# --- ${title}\n${body}`;
}

function namespaceText({ host, namespace }: LabHost): string {
  return `\n${comment(host.name)}ip netns add ${namespace}\nplain ${namespace}\n${sysctlText(namespace, earlySysctls(host))}`;
}

function sysctlText(namespace: string, assignments: readonly string[]): string {
  return assignments.length === 0 ? '' : `ip netns exec ${namespace} sysctl -q -w \\\n  ${assignments.join(' \\\n  ')}\n`;
}

function devicesText(
  hosts: readonly LabHost[],
  world: World,
  namespaces: ReadonlyMap<HostName, string>,
  nowhereName: string,
): readonly string[] {
  const made = new Set<string>();
  const nowhere: Nowhere = { namespace: nowhereName, devices: [] };
  // A vxlan device needs its lower device, which the host at the other end may make: all pairs first.
  const links = hosts.map(({ host, namespace }) => ({
    namespace,
    host,
    commands: linkCommands(host, world, namespaces, made, nowhere),
  }));
  const tunnels = (command: string): boolean => command.includes(' type vxlan ');
  return [
    nowhere.devices.length === 0
      ? ''
      : `\n# a network in which nobody answers\nip netns add ${nowhereName}\nplain ${nowhereName}\n`,
    ...links.map(({ namespace, host, commands }) =>
      ipText(
        namespace,
        host.name,
        commands.filter((command) => !tunnels(command)),
      ),
    ),
    ...links.map(({ namespace, host, commands }) => ipText(namespace, `${host.name}: tunnels`, commands.filter(tunnels))),
    ...hosts.map(({ host, namespace }) => ipText(namespace, `${host.name}: ports, addresses, up`, upCommands(host))),
    ipText(
      nowhereName,
      'nowhere: up',
      nowhere.devices.map((device) => `link set ${device} up`),
    ),
    '\n',
    ...hosts.map(({ namespace }) => `settled ${namespace}\n`),
    ...hosts.map(({ host, namespace }) => batch('bridge', namespace, `${host.name}: hairpin mode`, portCommands(host))),
    ...hosts.map(({ host, namespace }) => redirectionsText(namespace, host)),
  ];
}

function ipText(namespace: string, title: string, commands: readonly string[]): string {
  return batch('ip', namespace, title, commands);
}

function batch(program: 'ip' | 'ip -6' | 'bridge', namespace: string, title: string, commands: readonly string[]): string {
  if (commands.length === 0) return '';
  return `\n${comment(title)}${hereDocument(`${program} -n ${namespace} -batch -`, commands.join('\n'))}`;
}

function redirectionsText(namespace: string, host: Host): string {
  const commands = redirectCommands(host);
  if (commands.length === 0) return '';
  return `\n${comment(`${host.name}: redirections`)}${hereDocument(`tc -n ${namespace} -batch -`, commands.join('\n'))}`;
}

function neighboursText(hosts: readonly LabHost[], world: World): readonly string[] {
  const holders = holdersOf(world);
  return hosts.flatMap(({ host, namespace }) => [
    ipText(namespace, host.name, neighbourCommands(host, holders)),
    batch('bridge', namespace, `${host.name}: forwarding database`, fdbCommands(host, holders)),
  ]);
}

function rulesText({ host, namespace }: LabHost): string {
  const { iptables, ip6tables, iptablesLegacy, ipsets, nftables, ipvs } = host.netfilter;
  if (ipvs.length > 0) throw new LabError(`${host.name}: virtual servers of IPVS can't be built in a lab yet`);
  if (iptablesLegacy !== null) throw new LabError(`${host.name}: legacy tables can't be built in a lab yet`);
  const load = (command: string, text: string): string =>
    text === '' ? '' : `\n${comment(host.name)}${hereDocument(`ip netns exec ${namespace} ${command}`, text)}`;
  // kube-proxy comes first, and chains of one priority run in the reverse order of their coming.
  return (
    load('nft -f -', printRuleset(nftables)) +
    load('ipset restore', printIpsetSave(ipsets)) +
    load('iptables-restore', restoreText(iptables)) +
    load('ip6tables-restore', restoreText(ip6tables))
  );
}

function firewallSection(hosts: readonly LabHost[], cluster: Cluster): string {
  const underlay = hosts.find(({ host }) => host.name === 'underlay');
  const text = underlay ? firewallText(underlay.host, cluster.underlay.firewall) : '';
  return text === '' || !underlay
    ? ''
    : `\n${comment('underlay.firewall')}${hereDocument(`ip netns exec ${underlay.namespace} nft -f -`, text)}`;
}

function listenersText(hosts: readonly LabHost[]): readonly string[] {
  const lines = hosts.flatMap(({ host, namespace }) =>
    listenerArguments(host).map(
      (words) => `ip netns exec ${namespace} setsid node -e "$server" ${words} </dev/null >/dev/null 2>&1 &\n`,
    ),
  );
  return lines.length === 0 ? [] : [`server=$(cat <<'END'\n${LISTENER_PROGRAM}END\n)\n`, ...lines];
}

function commandLines(cluster: Cluster, namespaces: ReadonlyMap<HostName, string>): readonly string[] {
  return [...commandsByHost(cluster)].flatMap(([host, commands]) => {
    const namespace = namespaces.get(host);
    if (namespace === undefined) throw new LabError(`there is no host ${host} to run "${commands[0]?.text}" on`);
    return commands.map(({ text }) => `ip netns exec ${namespace} ${commandText(host, text)}\n`);
  });
}
