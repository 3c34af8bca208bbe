import type { ExternalHost, SourcePosition } from '../../kubernetes/model/cluster.ts';
import { readIps } from '../reading/addresses.ts';
import { readCommands, readPort, readTransport } from '../reading/common.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isMapping, valueAt } from '../source/container.ts';

/** An entry of `external`. */
export function readExternal(
  reader: Reader,
  external: Mapping,
): (ExternalHost & { readonly position: SourcePosition }) | undefined {
  reader.allowOnly(external, 'an external host', ['name', 'ip', 'ports', 'commands']);
  const name = reader.requiredName(external, 'name', 'An external host');
  if (valueAt(external, 'ip') === undefined) {
    reader.problems.error('missing-key', 'An external host needs "ip"', reader.position(external), 'Such as ip: 203.0.113.9');
  }
  const addresses = readIps(reader, external, 'ip');
  const ports = reader.items(external, 'ports', (list, i) => readExternalPort(reader, list, i)) ?? [];
  const commands = readCommands(reader, external, 'commands') ?? [];
  if (name === undefined || addresses === undefined) return undefined;
  return { name, addresses, ports, commands, position: reader.position(external) };
}

function readExternalPort(reader: Reader, list: readonly unknown[], index: number): ExternalHost['ports'][number] | undefined {
  const item = list[index];
  if (!isMapping(item)) {
    const port = readPort(reader, list, index);
    return port === undefined ? undefined : { port, protocol: 'tcp' };
  }
  reader.allowOnly(item, 'a port of an external host', ['port', 'protocol']);
  if (valueAt(item, 'port') === undefined) {
    reader.problems.error('missing-key', 'A port of an external host needs "port"', reader.position(item));
  }
  const port = readPort(reader, item, 'port');
  return port === undefined ? undefined : { port, protocol: readTransport(reader, item, 'protocol') };
}
