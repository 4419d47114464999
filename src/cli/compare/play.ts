/** Plays a scenario against one side and names the values in the responses. An unexpected response doesn't end it. */
import { setTimeout } from 'node:timers/promises';
import { FixtureError, playFixture, shownCall, type Fixture } from '../../client/fixtures/index.ts';
import type { Exchange, RawRequest } from '../../client/client.ts';
import { deleteWhatWasMade, requireGoingOn, type Playing } from './interruption.ts';
import { TranscriptNames } from './naming.ts';
import { digestOf, type RecordedExchange, type RecordedScenario } from './transcript.ts';

/** Lists are ordered by time in milliseconds, so two entities of one step after the other need different ones. */
const MS_BETWEEN_STEPS = 2;

/** Why a side has no meaningful response. */
export interface NoAnswer {
  readonly skipped: string;
}

export interface PlayedSide {
  /** Rejects when further requests are pointless. */
  send(request: RawRequest): Promise<Exchange<Buffer> | NoAnswer>;
}

export interface PlayedScenario {
  /** The name in results: the scenario's own, or that of its file. */
  readonly name: string;
  readonly fixture: Fixture;
}

export async function playScenario(
  { name, fixture }: PlayedScenario,
  side: PlayedSide,
  set: Readonly<Record<string, string>>,
  playing: Playing,
): Promise<RecordedScenario> {
  const missing = Object.keys(fixture.vars).filter(
    (one) => fixture.vars[one] === null && !Object.hasOwn(set, one),
  );
  if (missing.length > 0) {
    const skipped = `there is no value for ${missing.join(', ')}`;
    const exchanges = fixture.steps.map((step) => ({ id: step.id, call: shownCall(step), skipped }));
    return { name, digest: digestOf(fixture), exchanges };
  }
  const own = Object.fromEntries(Object.entries(set).filter(([one]) => Object.hasOwn(fixture.vars, one)));
  const play = playFixture(fixture, { set: own });
  const naming = new TranscriptNames();
  const exchanges: RecordedExchange[] = [];
  const sendOr = async (request: RawRequest, from: number) => {
    try {
      requireGoingOn(playing);
      return await side.send(request);
    } catch (error) {
      const made = async (index: number) => {
        const next = await requestOf(() => play.request(index));
        return 'skipped' in next ? undefined : next;
      };
      const send = (next: RawRequest) => side.send(next);
      await deleteWhatWasMade({ name, fixture, from, request: made, send }, error, playing);
      throw error;
    }
  };
  for (const [index, step] of fixture.steps.entries()) {
    const { id } = step;
    const call = shownCall(step);
    const request = await requestOf(() => play.request(index));
    if ('skipped' in request) {
      exchanges.push({ id, call, ...request });
      continue;
    }
    naming.noteRequest(id, request);
    await setTimeout(MS_BETWEEN_STEPS);
    const exchange = await sendOr(request, index);
    if ('skipped' in exchange) {
      exchanges.push({ id, call, ...exchange });
      continue;
    }
    const { unexpected } = play.take(index, exchange);
    const headers = naming.headers(exchange.headers);
    const body = naming.body(id, exchange);
    const rule = unexpected?.details.member ?? (unexpected && unexpected.details.status === undefined);
    exchanges.push({
      id,
      call,
      status: exchange.status,
      headers,
      body,
      broken_rule: typeof rule === 'string' ? rule : rule === true ? 'an expected value is missing' : null,
    });
  }
  return { name, digest: digestOf(fixture), exchanges };
}

/** An earlier response lacks a value that this step needs, so there is nothing to send. */
async function requestOf(make: () => Promise<RawRequest>): Promise<RawRequest | NoAnswer> {
  try {
    return await make();
  } catch (error) {
    const isMissing = error instanceof FixtureError && error.code === 'fixture_failed';
    if (isMissing) return { skipped: 'an earlier response lacks a value that this call needs' };
    throw error;
  }
}
