import type { Origin } from '../../trace/origin.ts';

/** Of everything that an operator's command made. */
export const COMMAND_ORIGIN: Origin = { object: null, by: 'operator', role: 'command' };
