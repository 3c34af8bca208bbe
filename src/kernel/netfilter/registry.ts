import { isConntrackNeeded } from './conntrack/needed.ts';
import { conntrackConfirm, conntrackIn } from './conntrack/track.ts';
import { defragment } from './defragment.ts';
import { PRIORITY } from './hook.ts';
import { iptablesHooks } from './iptables-hooks.ts';
import { nftHooks } from './nftables-hooks.ts';
import { perHost } from '../per-host.ts';
import { ipvsHooks } from './ipvs-hooks.ts';
import { natHook } from './nat/hook.ts';
import type { HookName } from '../../trace/event.ts';
import type { Host } from '../host.ts';
import type { HookFunction } from './hook.ts';

/**
 * What is registered at the hooks of a namespace, by family:
 *
 *     PREROUTING   defrag · raw · conntrack · mangle · nat (dst)
 *     INPUT        mangle · filter · security · ipvs · nat (src) · confirm
 *     FORWARD      mangle · filter · security · ipvs
 *     OUTPUT       defrag · raw · conntrack · mangle · nat (dst) · ipvs · filter · security
 *     POSTROUTING  mangle · nat (src) · confirm
 *
 * A table's function is there only if its base chain exists, conntrack's only if some rule needs it, IPVS's only if there is a virtual
 * server. Base chains of nftables stand among
 * them where their priority puts them.
 */
export function hookFunctions(host: Host, family: 4 | 6, hook: HookName): readonly HookFunction[] {
  return (family === 4 ? registry4 : registry6)(host)[hook];
}

const registry4 = perHost((host) => byHook(register(host, 4)));
const registry6 = perHost((host) => byHook(register(host, 6)));

function byHook(functions: readonly HookFunction[]): Readonly<Record<HookName, readonly HookFunction[]>> {
  const at = (hook: HookName) => functions.filter((f) => f.hook === hook);
  return {
    PREROUTING: at('PREROUTING'),
    INPUT: at('INPUT'),
    FORWARD: at('FORWARD'),
    OUTPUT: at('OUTPUT'),
    POSTROUTING: at('POSTROUTING'),
  };
}

function register(host: Host, family: 4 | 6): readonly HookFunction[] {
  const functions: HookFunction[] = [...iptablesHooks(host, family), ...nftHooks(host, family)];
  if (isConntrackNeeded(host, family)) {
    functions.push(
      { hook: 'PREROUTING', priority: PRIORITY.DEFRAG, name: 'defrag', run: defragment },
      { hook: 'OUTPUT', priority: PRIORITY.DEFRAG, name: 'defrag', run: defragment },
      { hook: 'PREROUTING', priority: PRIORITY.CONNTRACK, name: 'conntrack', run: conntrackIn },
      { hook: 'OUTPUT', priority: PRIORITY.CONNTRACK, name: 'conntrack', run: conntrackIn },
      { hook: 'INPUT', priority: PRIORITY.CONFIRM, name: 'confirm', run: conntrackConfirm },
      { hook: 'POSTROUTING', priority: PRIORITY.CONFIRM, name: 'confirm', run: conntrackConfirm },
    );
  }
  functions.push(...natHook(host, family), ...ipvsHooks(host, family));
  return functions.sort((a, b) => a.priority - b.priority);
}
