import { refuse } from './failure.ts';

/** iproute2's parse_on_off. */
export function readOnOff(option: string, text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  return refuse(`Error: argument of "${option}" must be one of "off", "on", not "${text}"`);
}
