/** Turns the result of a handler into the response that is sent, and into what the journal keeps of it. */
import type { Endpoint } from '../contract/endpoint.ts';
import type { Answer } from '../contract/handler.ts';
import { SHARE_BYTES, type Held } from '../kernel/byte-budget.ts';
import { jsonText } from '../kernel/exact-number.ts';
import type { Recorder } from '../resources/recording/index.ts';
import type { Call } from './call.ts';
import { shownAnswer } from './journal-entry.ts';
import { isPartOfSession } from './recorded-call.ts';
import { JSON_TYPE, sendContent, sendJsonBytes, sendStreamedJson, sendText } from './sending.ts';
import { holdsStreams, withEmptyTexts, withoutStreams } from './streamed-json.ts';

export interface Answering {
  readonly recorder: Recorder;
  /** The call's memory account, opened at the first use. */
  held(): Held;
  /** Called once the status of the response is decided. */
  decided(status: number): void;
}

/** A promise where the answer leaves piece by piece, as the client takes it. */
export function sendAnswer(
  call: Call,
  { produces, carriesVaultData }: Endpoint,
  answering: Answering & { readonly answer: Answer<unknown> },
): Promise<void> | void {
  const { answer } = answering;
  const { status = 200, headers, body } = answer;
  if (headers) Object.assign(call.answerHeaders, headers);
  if (produces !== undefined) {
    const sent = sendContent(call, status, { produces, answer });
    answering.decided(status);
    return sent;
  }
  if (carriesVaultData && holdsStreams(body)) return sendStreams(call, status, { body, answering });
  call.responseBody = body;
  answering.decided(status);
  return sendHeldJson(call, status, { body, answering });
}

async function sendStreams(
  call: Call,
  status: number,
  { body, answering }: { body: object; answering: Answering },
): Promise<void> {
  const isRecorded = answering.recorder.isRecording && isPartOfSession(call);
  call.responseBody = isRecorded ? await withoutStreams(body) : withEmptyTexts(body);
  answering.decided(status);
  await sendStreamedJson(call, status, body);
}

/**
 * Sends a large body piece by piece from its bytes, and releases the objects it was made of. A page of a list is
 * complete in memory before it is counted; it is small by its limits: 100 rows, at most 30 KB each in the journal.
 * Values of a vault are counted as they are opened.
 */
function sendHeldJson(
  call: Call,
  status: number,
  { body, answering }: { body: unknown; answering: Answering },
): Promise<void> | undefined {
  const text = jsonText(body);
  if (text.length <= SHARE_BYTES) {
    sendText(call, status, { contentType: JSON_TYPE, text });
    return undefined;
  }
  const held = answering.held();
  if (!answering.recorder.isRecording) {
    call.shownResponse = shownAnswer(call);
    call.responseBody = undefined;
    held.free();
  }
  held.take(text.length);
  return sendJsonBytes(call, status, Buffer.from(text));
}
