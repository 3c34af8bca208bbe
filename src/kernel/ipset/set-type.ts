/** What one dimension of a set's elements is. 'ip' is a host address unless the set has a netmask, 'net' a prefix. */
export type DimensionKind = 'ip' | 'net' | 'port' | 'mac' | 'mark' | 'iface' | 'set';

/** Every type of `ipset create` that k8snet models, with its dimensions. */
const SET_TYPES: ReadonlyMap<string, readonly DimensionKind[]> = new Map([
  ['bitmap:ip', ['ip']],
  ['bitmap:ip,mac', ['ip', 'mac']],
  ['bitmap:port', ['port']],
  ['hash:ip', ['ip']],
  ['hash:ip,mac', ['ip', 'mac']],
  ['hash:ip,mark', ['ip', 'mark']],
  ['hash:ip,port', ['ip', 'port']],
  ['hash:ip,port,ip', ['ip', 'port', 'ip']],
  ['hash:ip,port,net', ['ip', 'port', 'net']],
  ['hash:mac', ['mac']],
  ['hash:net', ['net']],
  ['hash:net,iface', ['net', 'iface']],
  ['hash:net,net', ['net', 'net']],
  ['hash:net,port', ['net', 'port']],
  ['hash:net,port,net', ['net', 'port', 'net']],
  ['list:set', ['set']],
]);

/** Dimensions of a set type; undefined for a type that is not modelled. */
export function dimensionsOf(type: string): readonly DimensionKind[] | undefined {
  return SET_TYPES.get(type);
}

/** Value of an option of `create` ("netmask 24"); undefined when it is not given. */
export function setOption(options: string, name: string): string | undefined {
  const words = options.split(' ');
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

/** True for a flag of `create` ("counters"). */
export function hasSetFlag(options: string, name: string): boolean {
  return options.split(' ').includes(name);
}
