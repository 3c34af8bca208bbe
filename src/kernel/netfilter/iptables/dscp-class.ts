import { RuleError } from './option.ts';

/** Differentiated services code points by name (RFC 2474, 2597, 3246). */
// biome-ignore format: a table reads better in rows
const CLASSES: ReadonlyMap<string, number> = new Map([
  ['CS0', 0x00], ['CS1', 0x08], ['CS2', 0x10], ['CS3', 0x18], ['CS4', 0x20], ['CS5', 0x28], ['CS6', 0x30], ['CS7', 0x38],
  ['BE', 0x00], ['AF11', 0x0a], ['AF12', 0x0c], ['AF13', 0x0e], ['AF21', 0x12], ['AF22', 0x14], ['AF23', 0x16], ['AF31', 0x1a],
  ['AF32', 0x1c], ['AF33', 0x1e], ['AF41', 0x22], ['AF42', 0x24], ['AF43', 0x26], ['EF', 0x2e],
]);

/** Code point (six bits) of a class name. */
export function dscpOfClass(name: string): number {
  const dscp = CLASSES.get(name.toUpperCase());
  if (dscp === undefined) throw new RuleError(`Invalid DSCP value \`${name}'`);
  return dscp;
}
