import type { InterfaceDraft, NodeDraft } from '../drafts.ts';
import { readCidrs, readIps, readIpWithLength } from '../reading/addresses.ts';
import { readCommands, readMtu } from '../reading/common.ts';
import { readDnsConfig } from '../reading/dns.ts';
import type { Reader } from '../reading/reader.ts';
import type { ReadFile } from '../scenario.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';

const KEYS: readonly string[] = [
  'name',
  'ip',
  'podCIDR',
  'labels',
  'annotations',
  'mtu',
  'sysctls',
  'addresses',
  'interfaces',
  'iptablesSave',
  'nftRuleset',
  'commands',
  'resolvConf',
];

/** An entry of `nodes`. */
export function readShortNode(reader: Reader, node: Mapping, readFile: ReadFile): NodeDraft | undefined {
  reader.allowOnly(node, 'a node', KEYS);
  const name = reader.requiredName(node, 'name', 'A node');
  if (name === undefined) return undefined;
  const ips = readIps(reader, node, 'ip');
  const interfaces = readInterfaces(reader, node, valueAt(node, 'ip') === undefined);
  return {
    name,
    position: reader.position(node),
    addresses: ips,
    podCidrs: readCidrs(reader, node, 'podCIDR'),
    labels: reader.textMap(node, 'labels'),
    annotations: reader.textMap(node, 'annotations'),
    mtu: readMtu(reader, node, 'mtu'),
    sysctls: reader.textMap(node, 'sysctls'),
    extraAddresses: reader.items(node, 'addresses', (list, i) => readIpWithLength(reader, list, i)),
    interfaces,
    interfacesPosition: interfaces && reader.position(node, 'interfaces'),
    iptablesSave: readDump(reader, node, 'iptablesSave', readFile),
    nftRuleset: readDump(reader, node, 'nftRuleset', readFile),
    resolvConf: readDnsConfig(reader, node, 'resolvConf', 'strict'),
    commands: readCommands(reader, node, 'commands'),
  };
}

/** `interfaces`: an unnamed entry is eth0 only where it comes first and `ip` is not given. */
function readInterfaces(reader: Reader, node: Mapping, includesEth0: boolean): readonly InterfaceDraft[] | undefined {
  let index = includesEth0 ? 0 : 1;
  return reader.mappings(node, 'interfaces', (item) => {
    reader.allowOnly(item, 'an interface', ['name', 'ip', 'subnet', 'mtu']);
    const name = reader.string(item, 'name') ?? `eth${index}`;
    if (name !== 'eth0' || index === 0) index++;
    if (valueAt(item, 'ip') === undefined) {
      reader.problems.error('missing-key', 'An interface needs "ip"', reader.position(item), 'Such as ip: 10.0.2.15/24');
    }
    if (!/^[^\s/:\p{Cc}\p{Cf}\p{Cs}]{1,15}$/u.test(name))
      return reader.wrong(item, 'name', 'a device name of at most 15 characters');
    const address = readIpWithLength(reader, item, 'ip');
    const subnet = reader.string(item, 'subnet') ?? null;
    const mtu = readMtu(reader, item, 'mtu');
    return address === undefined ? undefined : { name, ...address, subnet, mtu };
  });
}

function readDump(
  reader: Reader,
  node: Mapping,
  key: 'iptablesSave' | 'nftRuleset',
  readFile: ReadFile,
): NodeDraft['iptablesSave'] {
  const file = reader.string(node, key);
  if (file === undefined) return undefined;
  const text = readFile(file, reader.source.name);
  if (text !== null) return { file, text };
  const hint = `The path is relative to ${reader.source.name}`;
  reader.problems.error('unreadable-file', `Can't read ${JSON.stringify(file)}`, reader.position(node, key), hint);
  return undefined;
}
