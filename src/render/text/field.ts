import { wrap } from '../style.ts';
import type { Style } from '../style.ts';

/** Columns of the labels in a verdict. */
export const LABEL_WIDTH = 13;

/** A label and what there is to say under it, as many lines as it takes. */
export function field(label: string, text: string, style: Style): readonly string[] {
  const lines = wrap(text, style.width - LABEL_WIDTH - 2);
  return lines.map((line, i) => `  ${style.chalk.dim((i === 0 ? label : '').padEnd(LABEL_WIDTH))}${line}`);
}
