/** The lines of `kyclone webhooks listen`; NDJSON under `--json`, where `type` names the kind of line. */
import type { StreamData } from '../../../client/server-sent-events.ts';
import { systemClock, timestamp } from '../../../kernel/clock.ts';

export type ListenLine = ReadyLine | EventLine | DeliveryLine | LostLine | RestoredLine | EndLine;

export interface ListenTarget {
  readonly webhook_id: string;
  readonly url: string;
  /** Null if the command line gave it. */
  readonly secret: string | null;
  /** Registered by this run, which removes it at its end. */
  readonly is_new: boolean;
  readonly enabled: boolean;
  readonly kinds: readonly string[];
}

export interface ReadyLine {
  readonly type: 'ready';
  readonly at: string;
  readonly base_url: string;
  readonly targets: readonly ListenTarget[];
}

/** An event, and whether it happened before this run (`--since`). */
export interface EventLine extends Pick<StreamData['event'], 'id' | 'kind' | 'at' | 'body'> {
  readonly type: 'event';
  readonly is_past: boolean;
}

export type DeliveryLine = StreamData['delivery'] & { readonly type: 'delivery' };

export interface LostLine {
  readonly type: 'lost';
  readonly at: string;
  readonly reason: string;
  /** How long the run will look for it. */
  readonly seconds: number;
}

export interface RestoredLine {
  readonly type: 'restored';
  readonly at: string;
  readonly base_url: string;
  /** Ids of endpoints that were registered again because the instance had lost them. */
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

/** Whether the line is a result. Other lines are about the command itself. */
export function isResult(line: ListenLine): line is EventLine | DeliveryLine {
  return line.type === 'event' || line.type === 'delivery';
}

/** By the machine's clock, because it is about this process, not about the instance. */
export function machineTime(): string {
  return timestamp(systemClock.now());
}
