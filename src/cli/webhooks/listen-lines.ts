/** The lines of `kyclone webhooks listen`; NDJSON under `--json` (`type` says of what kind). */
import type { StreamData } from '../../client/event-stream.ts';
import { systemClock, timestamp } from '../../kernel/clock.ts';

export type ListenLine = ReadyLine | EventLine | DeliveryLine | LostLine | RestoredLine | EndLine;

/** Where events are delivered to. */
export interface Target {
  readonly webhook_id: string;
  readonly url: string;
  /** Null when it came with the command line. */
  readonly secret: string | null;
  /** Registered by this run, which removes it when it ends. */
  readonly is_new: boolean;
  readonly enabled: boolean;
  readonly kinds: readonly string[];
}

export interface ReadyLine {
  readonly type: 'ready';
  readonly at: string;
  readonly base_url: string;
  readonly targets: readonly Target[];
}

/** An event, and whether it is one of those before this run (`--since`). */
export interface EventLine extends Pick<StreamData['event'], 'id' | 'kind' | 'at' | 'body'> {
  readonly type: 'event';
  readonly is_past: boolean;
}

/** One attempt. */
export type DeliveryLine = StreamData['delivery'] & { readonly type: 'delivery' };

export interface LostLine {
  readonly type: 'lost';
  readonly at: string;
  readonly reason: string;
  /** How long it will be looked for. */
  readonly seconds: number;
}

export interface RestoredLine {
  readonly type: 'restored';
  readonly at: string;
  readonly base_url: string;
  /** Ids of endpoints that had to be registered again: the instance had forgotten them. */
  readonly registered: readonly string[];
}

export type EndReason = 'told' | 'enough' | 'timeout' | 'lost';

export interface EndLine {
  readonly type: 'end';
  readonly at: string;
  readonly reason: EndReason;
  readonly events: number;
  readonly attempts: number;
  /** Ids of endpoints that couldn't be removed. */
  readonly left: readonly string[];
}

/** What the command is there to show; the rest is about the command itself. */
export function isResult(line: ListenLine): line is EventLine | DeliveryLine {
  return line.type === 'event' || line.type === 'delivery';
}

/** By the machine's clock: it is about this process, not about the instance. */
export function machineTime(): string {
  return timestamp(systemClock.now());
}
