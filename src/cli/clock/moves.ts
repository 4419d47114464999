/** Moving the clock of the instance: what the commands of `clock` share (contract §11, PUT clock). */
import type { Client } from '../../client/client.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { HOUR_MS } from '../../kernel/units.ts';

export type ClockState = AnswerOf<'GET /_kyclone/clock'>;
export type Moved = AnswerOf<'PUT /_kyclone/clock'>;
export type Move = RequestOf<'PUT /_kyclone/clock'>['body'];

/** Deliveries that fall due are tried before the answer comes, and a receiver may hang at each try. */
const PATIENCE_MS = HOUR_MS;

export const AT_HELP = 'a time, such as 2026-12-01T09:00:00Z';

export async function moveClock(client: Client, move: Move): Promise<Moved> {
  return await client.call('PUT /_kyclone/clock', { body: move, timeoutMs: PATIENCE_MS });
}

/** The state after a move, for people. */
export async function clockState(client: Client): Promise<ClockState> {
  return await client.call('GET /_kyclone/clock');
}
