import { parseIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { ExternalNameDraft } from '../drafts.ts';
import type { Reader } from '../reading/reader.ts';
import type { Container, Key, Mapping } from '../source/container.ts';
import { isList, valueAt } from '../source/container.ts';

/** A host name of RFC 1123, with underscores, which DNS has nothing against; "*." before it stands for all names below. */
const NAME = /^(\*\.)?[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*\.?$/i;

/** The `externalDNS` key: names of the world outside, each with its addresses, hosts (external/NAME, node/NAME), or another name. */
export function readExternalDns(reader: Reader, document: Mapping): readonly ExternalNameDraft[] {
  const names = reader.mapping(document, 'externalDNS');
  if (names === undefined) return [];
  return Object.keys(names).flatMap((name) => {
    const entry = readEntry(reader, names, name);
    return entry === undefined ? [] : [entry];
  });
}

function readEntry(reader: Reader, names: Mapping, name: string): ExternalNameDraft | undefined {
  const position = reader.source.keyPosition(names, name);
  if (!NAME.test(name) || parseIp(name) !== null) {
    const message = `"${name}" in externalDNS is no host name`;
    reader.problems.error('wrong-value', message, position, 'Such as shop.example or *.shop.example');
    return undefined;
  }
  const value = valueAt(names, name);
  const targets = isList(value)
    ? reader.items(names, name, (list, i) => readTarget(reader, list, i))
    : [readTarget(reader, names, name)].flatMap((target) => (target === undefined ? [] : [target]));
  if (targets === undefined || targets.length === 0) {
    if (value === undefined || (isList(value) && value.length === 0)) {
      reader.problems.error('missing-key', `"${name}" in externalDNS needs an address`, position);
    }
    return undefined;
  }
  const aliases = targets.flatMap((target) => (target.kind === 'alias' ? [target.name] : []));
  if (aliases.length > 0 && targets.length > 1) {
    return reader.wrong(names, name, 'addresses and hosts, or one other name alone');
  }
  return {
    name: canonical(name),
    addresses: targets.flatMap((target) => (target.kind === 'address' ? [target.address] : [])),
    hosts: targets.flatMap((target) => (target.kind === 'host' ? [target.host] : [])),
    alias: aliases[0] ?? null,
    position,
  };
}

type Target =
  | { readonly kind: 'address'; readonly address: IpAddress }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'alias'; readonly name: string };

function readTarget(reader: Reader, container: Container, key: Key): Target | undefined {
  const text = reader.string(container, key);
  if (text === undefined) return undefined;
  const address = parseIp(text);
  if (address !== null) return { kind: 'address', address };
  if (/^(external|node)\/[^/]+$/.test(text)) return { kind: 'host', host: text };
  // What is all digits and dots was meant for an address.
  if (NAME.test(text) && !text.startsWith('*') && !/^[\d.]+$/.test(text)) return { kind: 'alias', name: canonical(text) };
  return reader.wrong(container, key, 'an address, external/NAME, node/NAME or another host name');
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
