import { EVENT_ID, getScalarValue, parseEvents } from 'js-yaml';
import type { Event } from 'js-yaml';
import { isList, isMapping, valueAt } from './container.ts';
import type { Container, Key } from './container.ts';

/** Offsets of one key and of its value. */
interface Spot {
  readonly key: number;
  readonly value: number;
}

interface Spots {
  readonly start: number;
  readonly keys: Map<Key, Spot>;
}

/** A collection being walked; `value` is undefined where the parsed value is not known (a merged mapping). */
interface Frame {
  readonly value: unknown;
  readonly kind: 'document' | 'list' | 'mapping';
  next: number;
  key: string | null;
  keyOffset: number;
}

/** Where every value of a text begins. */
export class PositionIndex {
  readonly #spots: ReadonlyMap<object, Spots>;

  private constructor(spots: ReadonlyMap<object, Spots>) {
    this.#spots = spots;
  }

  /** Walks the parser's events beside the values they became. What can't be placed is found at its container, or at the start. */
  static build(text: string, documents: readonly unknown[]): PositionIndex {
    const spots = new Map<object, Spots>();
    try {
      indexEvents(text, parseEvents(text, { maxDepth: 1000 }), documents, spots);
    } catch {
      // JSON that YAML can't read (keys beyond 1024 characters, tabs): positions fall back to the containers found so far.
    }
    return new PositionIndex(spots);
  }

  /** Offset of a container, of the value of one of its keys, or of that key. */
  offset(container: Container, key: Key | null, ofKey: boolean): number {
    const spots = this.#spots.get(container);
    if (spots === undefined) return 0;
    const spot = key === null ? undefined : spots.keys.get(key);
    return spot === undefined ? spots.start : ofKey ? spot.key : spot.value;
  }
}

function indexEvents(text: string, events: readonly Event[], documents: readonly unknown[], spots: Map<object, Spots>): void {
  const stack: Frame[] = [];
  let document = 0;
  spots.set(documents, { start: 0, keys: new Map() });
  for (const event of events) {
    const top = stack.at(-1);
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        stack.push({ value: documents, kind: 'document', next: document++, key: null, keyOffset: -1 });
        break;
      case EVENT_ID.POP:
        stack.pop();
        break;
      case EVENT_ID.SCALAR: {
        const offset = scalarOffset(text, event);
        if (top?.kind === 'mapping' && top.key === null) {
          top.key = getScalarValue(text, event);
          top.keyOffset = offset;
        } else {
          take(top, offset, spots);
        }
        break;
      }
      case EVENT_ID.ALIAS:
        if (top?.kind === 'mapping' && top.key === null) top.key = '';
        else take(top, event.anchorStart, spots);
        break;
      default: {
        const value = take(top, event.start, spots);
        if ((isList(value) || isMapping(value)) && !spots.has(value)) spots.set(value, { start: event.start, keys: new Map() });
        const kind = event.type === EVENT_ID.SEQUENCE ? 'list' : 'mapping';
        stack.push({ value, kind, next: 0, key: null, keyOffset: -1 });
      }
    }
  }
}

/** Notes where the next value of a collection begins, and returns that value. */
function take(frame: Frame | undefined, offset: number, spots: Map<object, Spots>): unknown {
  if (frame === undefined) return undefined;
  const container = frame.value;
  const key = frame.kind === 'mapping' ? (frame.key ?? '') : frame.next++;
  const keyOffset = frame.kind === 'mapping' ? frame.keyOffset : offset;
  frame.key = null;
  if (!isList(container) && !isMapping(container)) return undefined;
  spots.get(container)?.keys.set(key, { key: keyOffset, value: offset < 0 ? keyOffset : offset });
  return valueAt(container, key);
}

function scalarOffset(text: string, event: Extract<Event, { type: typeof EVENT_ID.SCALAR }>): number {
  if (event.valueStart < 0) return -1;
  const before = text.charAt(event.valueStart - 1);
  return before === '"' || before === "'" ? event.valueStart - 1 : event.valueStart;
}

/** Offsets at which lines begin. */
export function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** 1-based line and column of an offset. */
export function lineAndColumn(lineStarts: readonly number[], offset: number): { readonly line: number; readonly column: number } {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: Math.max(0, offset - (lineStarts[low] ?? 0)) + 1 };
}
