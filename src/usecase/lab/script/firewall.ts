import { parseCidr } from '../../../net/cidr.ts';
import { LabError } from '../lab-error.ts';
import type { Host } from '../../../kernel/host.ts';
import type { FirewallRule } from '../../../kubernetes/model/cluster.ts';

/**
 * `underlay.firewall` as an nftables ruleset for host `underlay`: frames between the switch's ports, and those that its router sends.
 * Empty text where nothing is dropped.
 */
export function firewallText(underlay: Host, rules: readonly FirewallRule[]): string {
  if (rules.length === 0) return '';
  const forward = rules.map((rule) => dropRule(underlay, rule, true)).filter((text) => text !== null);
  const output = rules.map((rule) => dropRule(underlay, rule, false)).filter((text) => text !== null);
  return [
    'table bridge k8snet-firewall {',
    '  chain forward {',
    '    type filter hook forward priority -300; policy accept;',
    ...forward.map((text) => `    ${text}`),
    '  }',
    '  chain output {',
    '    type filter hook output priority -300; policy accept;',
    ...output.map((text) => `    ${text}`),
    '  }',
    '}',
    '',
  ].join('\n');
}

/** null: the rule says nothing about frames that the router itself sends. */
function dropRule(underlay: Host, { protocol, port, from, to }: FirewallRule, forwarded: boolean): string | null {
  const source = from === null ? null : placeOf(underlay, from);
  const destination = to === null ? null : placeOf(underlay, to);
  if (!forwarded && source?.kind === 'ports') return null;
  const words: string[] = [];
  if (source)
    words.push(
      source.kind === 'ports' ? `iifname ${portSet(source.ports)}` : `${familyWord(source.range)} saddr ${source.range}`,
    );
  if (destination)
    words.push(
      destination.kind === 'ports'
        ? `oifname ${portSet(destination.ports)}`
        : `${familyWord(destination.range)} daddr ${destination.range}`,
    );
  if (port !== null && (protocol === 'tcp' || protocol === 'udp' || protocol === 'sctp')) words.push(`${protocol} dport ${port}`);
  else if (port !== null) words.push(`ip protocol { tcp, udp, sctp } th dport ${port}`);
  else words.push(protocol === null ? 'ether type ip' : `ip protocol ${protocol}`);
  return `${words.join(' ')} drop`;
}

type Place = { readonly kind: 'ports'; readonly ports: readonly string[] } | { readonly kind: 'range'; readonly range: string };

function placeOf(underlay: Host, text: string): Place {
  if (parseCidr(text) !== null) return { kind: 'range', range: text };
  const ports: string[] = [];
  for (const device of underlay.devices.values()) {
    if (device.kind !== 'veth') continue;
    const { host } = device.peer;
    if (host === text || host.split('/')[1] === text) ports.push(device.name);
  }
  if (ports.length === 0) throw new LabError(`underlay.firewall: "${text}" has no port on the switch`);
  return { kind: 'ports', ports };
}

/** Ranges of IPv6 have a colon. */
function familyWord(range: string): 'ip' | 'ip6' {
  return range.includes(':') ? 'ip6' : 'ip';
}

function portSet(ports: readonly string[]): string {
  return `{ ${ports.map((port) => `"${port}"`).join(', ')} }`;
}
