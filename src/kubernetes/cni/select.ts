import { bridgeMode } from './bridge/mode.ts';
import { dockerMode } from './docker/mode.ts';
import { flannelMode } from './flannel/mode.ts';
import { NONE_MODE } from './none/mode.ts';
import { weaveMode } from './weave/mode.ts';
import type { CniConfig } from '../model/cluster.ts';
import type { CniContext, CniMode } from './mode.ts';

/** The mode that a configuration asks for, or what of it is not modelled. */
export function cniMode(config: CniConfig, context: CniContext): CniMode | { readonly notModelled: string } {
  switch (config.plugin) {
    case 'none':
      return NONE_MODE;
    case 'bridge':
      return bridgeMode(config, context);
    case 'docker':
      return dockerMode(config, context);
    case 'flannel':
      return flannelMode(config, context);
    case 'weave':
      return weaveMode(config, context);
  }
}
