import { RuleError } from './option.ts';
import { portOfService } from './service-names.ts';

/** Inclusive bounds. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** A value under a mask (struct xt_mark_mtinfo1). */
export interface Masked {
  readonly value: number;
  readonly mask: number;
}

export const ALL_BITS = 0xffffffff;

/** A number as xtables_strtoui reads it: decimal, 0x hexadecimal, 0 octal; null when it is none or out of range. */
export function parseNumber(text: string, min = 0, max = ALL_BITS): number | null {
  const value = /^0[xX][0-9a-fA-F]+$/.test(text)
    ? parseInt(text.slice(2), 16)
    : /^0[0-7]+$/.test(text)
      ? parseInt(text, 8)
      : /^\d+$/.test(text)
        ? Number(text)
        : NaN;
  return value >= min && value <= max ? value : null;
}

/** A number or a refusal in libxtables' words. */
export function numberOf(text: string, module: string, option: string, min = 0, max = ALL_BITS): number {
  const value = parseNumber(text, min, max);
  if (value === null) throw new RuleError(`${module}: bad value for option "--${option}", or out of range (${min}-${max}).`);
  return value;
}

/** "a", "a:b", ":b", "a:" with given limits. The bounds may be the wrong way round, which nothing is within. */
export function rangeOf(text: string, module: string, option: string, limit: number, separator = ':'): NumberRange {
  const at = text.indexOf(separator);
  if (at < 0) {
    const value = numberOf(text, module, option, 0, limit);
    return { min: value, max: value };
  }
  const [low, high] = [text.slice(0, at), text.slice(at + separator.length)];
  return {
    min: low === '' ? 0 : numberOf(low, module, option, 0, limit),
    max: high === '' ? limit : numberOf(high, module, option, 0, limit),
  };
}

export function formatRange(range: NumberRange, separator = ':'): string {
  return range.min === range.max ? `${range.min}` : `${range.min}${separator}${range.max}`;
}

/** A port by number or service name (xtables_parse_port). */
export function portOf(text: string): number {
  const port = parseNumber(text, 0, 65535) ?? portOfService(text);
  if (port === undefined) throw new RuleError(`invalid port/service \`${text}' specified`);
  return port;
}

/** "80", "http", "1024:65535", ":22", "22:". */
export function portRangeOf(text: string, separator = ':'): NumberRange {
  const at = text.indexOf(separator);
  if (at < 0) {
    const port = portOf(text);
    return { min: port, max: port };
  }
  const [low, high] = [text.slice(0, at), text.slice(at + 1)];
  const range = { min: low === '' ? 0 : portOf(low), max: high === '' ? 65535 : portOf(high) };
  if (range.min > range.max) throw new RuleError(`invalid portrange (min > max)`);
  return range;
}

/** "0x4000", "0x4000/0xffff"; the mask is all ones when it is left out (xtopt_parse_markmask). */
export function maskedOf(text: string, module: string, option: string): Masked {
  const [valueText, maskText, ...more] = text.split('/');
  const value = parseNumber(valueText!);
  const mask = maskText === undefined ? ALL_BITS : parseNumber(maskText);
  if (value === null || mask === null || more.length > 0) {
    throw new RuleError(`${module}: bad integer value for option "--${option}", or out of range.`);
  }
  return { value, mask };
}

/** "0x4000" or "0x4000/0x8000", as xtables_save_mark prints a match. */
export function formatMasked({ value, mask }: Masked): string {
  return mask === ALL_BITS ? hex(value) : `${hex(value)}/${hex(mask)}`;
}

export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** At least two digits ("0x05"), as tos and dscp are printed. */
export function hex2(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}

/** "! " for a negated option. */
export function not(negated: boolean): string {
  return negated ? '! ' : '';
}

/** Puts the parts that are not empty behind one another. */
export function join(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part).join(' ');
}
