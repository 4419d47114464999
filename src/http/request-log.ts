/** Records a request when it ends, whatever the result. */
import type { Recorder } from '../resources/recording/index.ts';
import type { Journal } from '../resources/requests/index.ts';
import type { Call } from './call.ts';
import { isPartOfSession, recordedCall } from './recorded-call.ts';
import { journalEntry } from './journal-entry.ts';

export interface RequestLog {
  readonly journal: Journal;
  readonly recorder: Recorder;
  /** One line for each request, allow-listed fields only (docs/architecture.md#daemon). */
  readonly log: (line: Readonly<Record<string, string | number | null | undefined>>) => void;
}

/** Writes to the journal, the log, and the recording if there is one; once for each call. */
export function logRequest(context: RequestLog, call: Call, status: number): void {
  if (call.isLogged) return;
  call.isLogged = true;
  try {
    record(context, call, status);
  } catch (error) {
    // Nothing awaits this function: a failure here must not end the daemon.
    context.log({
      level: 'error',
      request_id: call.id,
      status,
      code: 'internal_error',
      failure: traceOf(error),
    });
  }
}

function record(context: RequestLog, call: Call, status: number): void {
  const entry = journalEntry(call, status);
  context.journal.add(entry, call.isAdmitted ? 'known' : call.isGuest ? 'unknown' : 'refused');
  if (context.recorder.isRecording && isPartOfSession(call)) context.recorder.add(recordedCall(call, status));
  context.log({
    level: status >= 500 ? 'error' : 'info',
    request_id: entry.id,
    method: entry.method,
    route: entry.route,
    status,
    code: entry.code,
    ms: entry.ms,
    key_id: entry.key_id,
    token_id: entry.token_id,
    failure: status >= 500 && call.fault === undefined ? traceOf(call.failure) : undefined,
  });
}

/** The stack of a failure, without its message, which could contain anything. */
function traceOf(failure: unknown): string | undefined {
  if (!(failure instanceof Error)) return undefined;
  const cause = failure.cause instanceof Error ? failure.cause : failure;
  const frames = cause.stack?.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [cause.name, ...(frames ?? []).slice(0, 12).map((line) => line.trim())].join(' | ');
}
