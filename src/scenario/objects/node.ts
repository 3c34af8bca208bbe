import { familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { NodeDraft } from '../drafts.ts';
import { parseIpSloppy, readCidrs } from '../reading/addresses.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isMapping, valueAt } from '../source/container.ts';
import { readMetadata, section } from './metadata.ts';

/** A core/v1 Node. Its address is the first InternalIP of each family, as kubelet and kube-proxy take it. */
export function readNode(reader: Reader, object: Mapping): NodeDraft | undefined {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return undefined;
  const spec = section(reader, object, 'spec');
  const status = section(reader, object, 'status');
  const podCidrs = readCidrs(reader, spec, 'podCIDRs') ?? readCidrs(reader, spec, 'podCIDR');
  const addresses = readAddresses(reader, status);
  return {
    name: metadata.name,
    position: reader.source.namePosition(metadata.raw),
    addresses: addresses.length === 0 ? undefined : addresses,
    podCidrs: podCidrs?.length === 0 ? undefined : podCidrs,
    labels: reader.textMap(metadata.raw, 'labels'),
    annotations: reader.textMap(metadata.raw, 'annotations'),
    kubeletVersion: reader.string(section(reader, status, 'nodeInfo'), 'kubeletVersion'),
    unschedulable: valueAt(spec, 'unschedulable') === true || isTainted(reader, spec),
  };
}

function readAddresses(reader: Reader, status: Mapping): readonly IpAddress[] {
  const internal: IpAddress[] = [];
  for (const item of reader.list(status, 'addresses') ?? []) {
    if (!isMapping(item) || item.type !== 'InternalIP') continue;
    const text = reader.string(item, 'address');
    const address = text === undefined ? null : parseIpSloppy(text);
    if (address === null) reader.wrong(item, 'address', 'an IP address');
    else if (!internal.some((a) => familyOf(a) === familyOf(address))) internal.push(address);
  }
  return internal.sort((a, b) => familyOf(a) - familyOf(b));
}

function isTainted(reader: Reader, spec: Mapping): boolean {
  return (reader.list(spec, 'taints') ?? []).some((t) => isMapping(t) && (t.effect === 'NoSchedule' || t.effect === 'NoExecute'));
}
