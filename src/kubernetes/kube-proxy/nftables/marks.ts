/** The masquerade mark in the texts that nft lists. */
export interface MarkTexts {
  /** Sets the mark. */
  readonly set: string;
  /** Takes it off. */
  readonly clear: string;
  readonly isSet: string;
  readonly isNotSet: string;
}

/** nft lists a test of the uppermost bit as one of a prefix of length 1. */
export function markTexts(bit: number): MarkTexts {
  const mark = `0x${((1 << bit) >>> 0).toString(16).padStart(8, '0')}`;
  const top = bit === 31;
  return {
    set: `meta mark set meta mark | ${mark}`,
    clear: `meta mark set meta mark ^ ${mark}`,
    isSet: top ? 'meta mark != 0x00000000/1' : `meta mark & ${mark} != 0x00000000`,
    isNotSet: top ? 'meta mark 0x00000000/1' : `meta mark & ${mark} == 0x00000000`,
  };
}
