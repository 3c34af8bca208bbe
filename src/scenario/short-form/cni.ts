import type { FlannelBackend } from '../../kubernetes/model/cluster.ts';
import type { CniDraft } from '../draft-config.ts';
import { readMtu, readPort } from '../reading/common.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isList, isMapping, valueAt } from '../source/container.ts';

const PLUGINS: readonly CniDraft['plugin'][] = ['none', 'docker', 'bridge', 'flannel', 'weave'];
/** Backends by the names of flannel's configuration. */
export const FLANNEL_BACKENDS: readonly FlannelBackend[] = [
  'vxlan',
  'host-gw',
  'ali-vpc',
  'aws-vpc',
  'gce',
  'udp',
  'ipip',
  'wireguard',
];
const NAMES: readonly string[] = [...PLUGINS, ...FLANNEL_BACKENDS.map((b) => `flannel-${b}`)];

/** One set of keys for all plugins; a plugin passes over what it has no use for. */
const KEYS: readonly string[] = [
  'plugin',
  'backend',
  'vni',
  'port',
  'mtu',
  'podMTU',
  'ipMasq',
  'iptablesForwardRules',
  'hairpinMode',
  'iface',
  'npc',
];

/** The `cni` key: a name such as flannel-vxlan, or a mapping with `plugin`. */
export function readCni(reader: Reader, document: Mapping): CniDraft | undefined {
  const value = valueAt(document, 'cni');
  if (value === undefined) return undefined;
  if (isMapping(value)) return readMapping(reader, value);
  const name = reader.oneOf(document, 'cni', NAMES);
  if (name === undefined) return undefined;
  const position = reader.position(document, 'cni');
  const plugin = PLUGINS.find((p) => p === name) ?? 'flannel';
  return { plugin, backend: FLANNEL_BACKENDS.find((b) => name === `flannel-${b}`), position };
}

function readMapping(reader: Reader, cni: Mapping): CniDraft | undefined {
  if (valueAt(cni, 'plugin') === undefined) {
    reader.problems.error('missing-key', '"cni" needs "plugin"', reader.position(cni), `One of ${PLUGINS.join(', ')}`);
    return undefined;
  }
  const plugin = reader.oneOf(cni, 'plugin', PLUGINS);
  if (plugin === undefined) return undefined;
  reader.allowOnly(cni, 'cni', KEYS);
  return {
    plugin,
    backend: reader.oneOf(cni, 'backend', FLANNEL_BACKENDS),
    vni: reader.integer(cni, 'vni', 1, 0xffffff),
    port: readPort(reader, cni, 'port'),
    mtu: readMtu(reader, cni, 'mtu'),
    podMtu: readMtu(reader, cni, 'podMTU'),
    ipMasq: reader.boolean(cni, 'ipMasq'),
    iptablesForwardRules: reader.boolean(cni, 'iptablesForwardRules'),
    hairpinMode: reader.boolean(cni, 'hairpinMode'),
    iface: readIface(reader, cni),
    npc: reader.boolean(cni, 'npc'),
    position: reader.position(cni),
  };
}

/** A name or an address of an interface, or a list of them. */
function readIface(reader: Reader, cni: Mapping): readonly string[] | undefined {
  if (isList(valueAt(cni, 'iface'))) return reader.texts(cni, 'iface');
  const one = reader.string(cni, 'iface');
  return one === undefined ? undefined : [one];
}
