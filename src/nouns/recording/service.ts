/** Records calls with their values while a recording is active: in memory only, returned once (`kyclone record`). */
import { jsonText, parseJson } from '../../kernel/text/json.ts';
import { RECORDED_BYTES_LIMIT, RECORDED_CALLS_LIMIT } from './facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { type Clock, timestamp } from '../../kernel/time/clock.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import { conflict } from '../../kernel/errors.ts';

export type RecordedCall = AnswerOf<'DELETE /_kyclone/recording'>['recorded'][number];

export type Recorder = ReturnType<typeof createRecorder>;

export function createRecorder(clock: Clock, limitBytes = RECORDED_BYTES_LIMIT) {
  // As text, so that their size is known and they can't be modified.
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
    get isRecording(): boolean {
      return startedAt !== undefined;
    },
    /** Does nothing without a recording. `undefined` counts a call that a fixture cannot contain. */
    add(call: RecordedCall | undefined): void {
      if (startedAt === undefined) return;
      const text = call && calls.length < RECORDED_CALLS_LIMIT ? jsonOf(call) : undefined;
      if (text === undefined || bytes + Buffer.byteLength(text) > limitBytes) leftOut += 1;
      else {
        calls.push(text);
        bytes += Buffer.byteLength(text);
      }
    },
    handlers: {
      'GET /_kyclone/recording': () => answer(state()),
      'POST /_kyclone/recording': () => {
        if (startedAt !== undefined) throw conflict('A recording is under way already');
        startedAt = clock.now();
        return answer(state());
      },
      'DELETE /_kyclone/recording': () => {
        if (startedAt === undefined) throw conflict('Nothing is being recorded');
        const recorded = calls.map((text) => parseJson(text) as unknown as RecordedCall);
        const ended = { ...state(), is_recording: false, recorded };
        calls = [];
        bytes = 0;
        leftOut = 0;
        startedAt = undefined;
        return answer(ended);
      },
    } satisfies Handlers<KeysUnder<'/_kyclone/recording'>>,
  };
}

/** Undefined for a call that is nested too deeply to be serialised. */
function jsonOf(call: RecordedCall): string | undefined {
  try {
    return jsonText(call);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
