import type { Protocol } from '../../net/protocol.ts';
import type { FirewallDraft, SubnetDraft, UnderlayDraft } from '../drafts.ts';
import { readCidrs, readIps } from '../reading/addresses.ts';
import { MAX_PORT, readCommands } from '../reading/common.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';

/** The `underlay` key. */
export function readUnderlay(reader: Reader, underlay: Mapping): UnderlayDraft {
  reader.allowOnly(underlay, 'underlay', ['nodeCIDR', 'subnets', 'firewall', 'commands']);
  return {
    nodeCidrs: readCidrs(reader, underlay, 'nodeCIDR'),
    nodeCidrPosition: valueAt(underlay, 'nodeCIDR') === undefined ? undefined : reader.position(underlay, 'nodeCIDR'),
    subnets: reader.mappings(underlay, 'subnets', (item) => readSubnet(reader, item)),
    firewall: reader.mappings(underlay, 'firewall', (item) => readFirewallRule(reader, item)),
    commands: readCommands(reader, underlay, 'commands'),
  };
}

function readSubnet(reader: Reader, item: Mapping): SubnetDraft | undefined {
  reader.allowOnly(item, 'a subnet', ['name', 'cidr', 'router']);
  const name = reader.requiredName(item, 'name', 'A subnet');
  if (valueAt(item, 'cidr') === undefined) reader.problems.error('missing-key', 'A subnet needs "cidr"', reader.position(item));
  const cidrs = readCidrs(reader, item, 'cidr');
  const routers = readIps(reader, item, 'router');
  return name === undefined || cidrs === undefined || cidrs.length === 0
    ? undefined
    : { name, cidrs, routers: routers ?? [], position: reader.position(item) };
}

function readFirewallRule(reader: Reader, item: Mapping): FirewallDraft | undefined {
  reader.allowOnly(item, 'a firewall rule', ['drop', 'from', 'to']);
  if (valueAt(item, 'drop') === undefined) {
    reader.problems.error('missing-key', 'A firewall rule needs "drop"', reader.position(item), 'Such as drop: udp/8472');
    return undefined;
  }
  const text = reader.string(item, 'drop');
  const dropped = text === undefined ? undefined : parseDropped(text);
  if (dropped === null) return reader.wrong(item, 'drop', 'PROTOCOL, PROTOCOL/PORT or all', 'Such as udp/8472');
  if (dropped === undefined) return undefined;
  return {
    ...dropped,
    from: reader.string(item, 'from') ?? null,
    to: reader.string(item, 'to') ?? null,
    position: reader.position(item),
  };
}

/** "udp/8472", "icmp", "all"; null when malformed. */
function parseDropped(text: string): { readonly protocol: Protocol | null; readonly port: number | null } | null {
  const match = /^(tcp|udp|sctp|icmp|all)(?:\/(\d{1,5}))?$/i.exec(text);
  if (match === null) return null;
  const name = (match[1] ?? '').toLowerCase();
  const port = match[2] === undefined ? null : Number(match[2]);
  if (port !== null && (port < 1 || port > MAX_PORT || name === 'icmp' || name === 'all')) return null;
  return { protocol: name === 'tcp' || name === 'udp' || name === 'sctp' || name === 'icmp' ? name : null, port };
}
