import { Chalk } from 'chalk';
import type { Style } from '../../../src/render/style.ts';

/** No colours, wide, UTF-8. */
export const plain: Style = { chalk: new Chalk({ level: 0 }), width: 120, ascii: false };
export const coloured: Style = { ...plain, chalk: new Chalk({ level: 1 }) };
export const ascii: Style = { ...plain, ascii: true };
