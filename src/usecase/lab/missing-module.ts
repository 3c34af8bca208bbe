/** What the kernel lacks, where a failing command's words tell it: "the match or target recent of iptables"; null when they don't. */
export function missingModule(errors: string): string | null {
  const extension = /Extension (\S+) revision \d+ not supported/.exec(errors)?.[1];
  if (extension !== undefined)
    return `the match or target "${extension}" of iptables (module xt_${extension.replace(/^xt_/, '')})`;
  if (/type ['"]?vxlan|vxlan.*not supported|Unknown device type/i.test(errors))
    return 'a type of device (vxlan, bridge, veth or dummy)';
  if (/ipset.*(?:Kernel support protocol|cannot open session|settype)/is.test(errors))
    return 'ipset or a type of set (module ip_set)';
  const key = /cannot stat \/proc\/sys\/(\S+?):? /.exec(errors)?.[1];
  return key === undefined ? null : `the setting ${key.replaceAll('/', '.')}`;
}
