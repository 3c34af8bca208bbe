import { printableJson } from './printable.ts';

/** Any document of the public contract as JSON, two spaces deep. Ends with a line break. */
export function jsonText(document: object): string {
  return `${printableJson(JSON.stringify(document, null, 2))}\n`;
}
