/** How the result of a handler becomes the answer that leaves, and what the journal keeps of it. */
import type { Endpoint } from '../contract/endpoint.ts';
import type { Answer } from '../contract/handler.ts';
import { SHARE_BYTES, type Held } from '../kernel/byte-budget.ts';
import type { Recorder } from '../resources/recording/index.ts';
import type { Call } from './call.ts';
import { shownAnswer } from './journal-entry.ts';
import { isPartOfSession } from './recorded-call.ts';
import { JSON_TYPE, sendContent, sendJsonBytes, sendStreamedJson, sendText } from './sending.ts';
import { holdsStreams, withEmptyTexts, withoutStreams } from './streamed-json.ts';

export interface Answering {
  readonly recorder: Recorder;
  /** What the call holds in memory, counted from now on. */
  held(): Held;
  /** Called once it is known what the answer is. */
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
 * One of some size is kept as its bytes and goes out piece by piece; the rest of what it was made of is let go. Made
 * whole before it is counted is a page of a list, which is small by its bounds: 100 rows, of the journal at worst 30 KB
 * each. Values of a vault count as they are opened.
 */
function sendHeldJson(
  call: Call,
  status: number,
  { body, answering }: { body: unknown; answering: Answering },
): Promise<void> | void {
  const text = JSON.stringify(body);
  if (text.length <= SHARE_BYTES) {
    sendText(call, status, { contentType: JSON_TYPE, text });
    return;
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
