import { connect } from '../kernel/walk/connection.ts';
import { compile } from '../kubernetes/compile.ts';
import type { Engine } from './laboratory.ts';

/** The real compiler and the real walk. */
export const engine: Engine = { compile, connect };
