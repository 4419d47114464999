/**
 * Calls with their values, for as long as somebody asked for it: in memory only, handed out once (`kyclone record`).
 */
import { RECORDED_BYTES_LIMIT, RECORDED_CALLS_LIMIT } from '../../contract/facts/recording.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';

type Ended = AnswerOf<'DELETE /_kyclone/recording'>;
export type RecordedCall = Ended['recorded'][number];

export interface Recorder {
  readonly isRecording: boolean;
  /** Does nothing while nothing is recorded. `undefined` for a call that a fixture cannot hold. */
  add(call: RecordedCall | undefined): void;
  state(): AnswerOf<'GET /_kyclone/recording'>;
  /** Throws `conflict` while one is under way. */
  start(): AnswerOf<'POST /_kyclone/recording'>;
  /** Throws `conflict` when none is. */
  stop(): Ended;
}

export function createRecorder(clock: Clock, limitBytes = RECORDED_BYTES_LIMIT): Recorder {
  // As text: what it weighs is known, and nobody changes it meanwhile.
  let calls: string[] = [];
  let bytes = 0;
  let leftOut = 0;
  let startedAt: number | undefined;

  const state = () => ({
    is_recording: startedAt !== undefined,
    started_at: startedAt === undefined ? null : timestamp(startedAt),
    calls: calls.length,
    left_out: leftOut,
  });

  return {
    get isRecording() {
      return startedAt !== undefined;
    },
    add(call) {
      if (startedAt === undefined) return;
      const text = call && calls.length < RECORDED_CALLS_LIMIT ? jsonOf(call) : undefined;
      if (text === undefined || bytes + Buffer.byteLength(text) > limitBytes) leftOut += 1;
      else {
        calls.push(text);
        bytes += Buffer.byteLength(text);
      }
    },
    state,
    start() {
      if (startedAt !== undefined) throw new ServiceError('conflict', 'A recording is under way already');
      startedAt = clock.now();
      return state();
    },
    stop() {
      if (startedAt === undefined) throw new ServiceError('conflict', 'Nothing is being recorded');
      const ended = {
        ...state(),
        is_recording: false,
        recorded: calls.map((text) => JSON.parse(text) as RecordedCall),
      };
      calls = [];
      bytes = 0;
      leftOut = 0;
      startedAt = undefined;
      return ended;
    },
  };
}

/** Undefined for a call that is nested deeper than it can be written. */
function jsonOf(call: RecordedCall): string | undefined {
  try {
    return JSON.stringify(call);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
