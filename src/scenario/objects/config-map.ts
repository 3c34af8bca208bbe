import type { FlannelBackend } from '../../kubernetes/model/cluster.ts';
import type { Cidr } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import type { Collector } from '../collector.ts';
import type { CniDraft } from '../draft-config.ts';
import { parseCidr } from '../../net/cidr.ts';
import { readKubeProxy } from '../reading/kube-proxy.ts';
import { Reader } from '../reading/reader.ts';
import { FLANNEL_BACKENDS } from '../short-form/cni.ts';
import type { Mapping } from '../source/container.ts';
import { isMapping, valueAt } from '../source/container.ts';
import { parseSource } from '../source/parse.ts';
import { readMetadata, section } from './metadata.ts';

/**
 * A ConfigMap that says how the cluster's network is set up: kubeadm's for kube-proxy (key config.conf), or that of flannel's manifest
 * (key net-conf.json). Others are of no use here.
 */
export function readConfigMap(reader: Reader, object: Mapping, out: Collector): void {
  const metadata = readMetadata(reader, object);
  if (metadata === undefined) return;
  const data = section(reader, object, 'data');
  const where = `ConfigMap ${metadata.namespace}/${metadata.name}`;
  const config = valueAt(data, 'config.conf');
  const network = valueAt(data, 'net-conf.json');
  if (metadata.name === 'kube-proxy' && typeof config === 'string') readKubeProxyConfig(reader, config, where, out);
  else if (metadata.name === 'kube-flannel-cfg' && typeof network === 'string') {
    const read = readNetConf(reader, data, network, where);
    if (read !== null) out.addFlannelConfigMap({ ...read, where });
  } else out.passOver('ConfigMap');
}

function readKubeProxyConfig(reader: Reader, text: string, where: string, out: Collector): void {
  const parsed = parseSource({ name: `${reader.source.name} (${where})`, text }, true);
  const documents = parsed.ok && 'documents' in parsed.file ? parsed.file.documents : [];
  const [config] = documents;
  if (!parsed.ok || !('documents' in parsed.file) || !isMapping(config)) {
    reader.problems.warning('unreadable-config', `${where}: config.conf can't be read; it is passed over`, null);
    return;
  }
  out.addKubeProxyConfigMap(readKubeProxy(new Reader(parsed.file, reader.problems), config), where);
}

/** flannel's net-conf.json; the delegate's hairpinMode stands in cni-conf.json beside it. */
function readNetConf(
  reader: Reader,
  data: Mapping,
  text: string,
  where: string,
): { readonly cni: CniDraft; readonly podCidrs: readonly Cidr[] } | null {
  const config = jsonMapping(text);
  const backend = isMapping(config?.Backend) ? config.Backend : {};
  const type = valueAt(backend, 'Type') ?? 'udp';
  const known = FLANNEL_BACKENDS.find((name): name is FlannelBackend => name === type);
  if (config === null || known === undefined) {
    const what = config === null ? 'is no JSON' : `names the backend ${JSON.stringify(type)}, which is not known`;
    reader.problems.warning('unreadable-config', `${where}: net-conf.json ${what}; it is passed over`, null);
    return null;
  }
  const cidrs = [valueAt(config, 'Network'), valueAt(config, 'IPv6Network')].flatMap((value) => {
    const cidr = typeof value === 'string' ? parseCidr(value) : null;
    return cidr === null ? [] : [cidr];
  });
  const number = (key: string): number | undefined => {
    const value = valueAt(backend, key);
    return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
  };
  return {
    cni: {
      plugin: 'flannel',
      backend: known,
      vni: number('VNI'),
      port: number('Port'),
      mtu: number('MTU'),
      hairpinMode: hairpinOf(valueAt(data, 'cni-conf.json')),
      position: reader.position(data, 'net-conf.json'),
    },
    podCidrs: cidrs.sort((a, b) => familyOf(a.address) - familyOf(b.address)),
  };
}

/** delegate.hairpinMode of the flannel plugin in a list of plugins. */
function hairpinOf(text: unknown): boolean | undefined {
  const config = typeof text === 'string' ? jsonMapping(text) : null;
  const plugins: readonly unknown[] = Array.isArray(config?.plugins) ? config.plugins : [];
  const flannel = plugins.find((plugin) => isMapping(plugin) && plugin.type === 'flannel');
  const delegate = isMapping(flannel) ? flannel.delegate : undefined;
  const mode = isMapping(delegate) ? delegate.hairpinMode : undefined;
  return typeof mode === 'boolean' ? mode : undefined;
}

function jsonMapping(text: string): Mapping | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : null;
  } catch {
    return null;
  }
}
