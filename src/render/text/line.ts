import type { Layer } from '../../trace/event.ts';

/** How a line stands out. */
export type Tone = 'plain' | 'change' | 'bad' | 'good' | 'quiet';

/** One step of a packet, before it is laid out. Texts are plain: colours come with the layout. */
export interface Line {
  /** Position of its event in the packet's part. */
  readonly event: number;
  readonly layer: Layer;
  /** Short name of the host. */
  readonly host: string;
  /** Where inside the host: a hook, a device, "route", "socket". */
  readonly place: string;
  /** What happens there; columns are aligned among neighbouring lines of one place. */
  readonly columns: readonly string[];
  /** A few words on why or what for: beside the columns where there is room, else below. */
  readonly note?: string | undefined;
  /** Always below, each on a line of its own: explanations. */
  readonly below?: readonly string[];
  readonly tone: Tone;
}
