/** The endpoints of the instance's clock (contract §11). */
import { Type } from '@sinclair/typebox';
import { CLOCK_ACTIONS, CLOCK_MODES } from '../control/facts.ts';
import { control, endpoint } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { named, OneOf, Timestamp, strict } from '../../contract/shapes.ts';

export const ClockState = named(
  'Clock',
  Type.Object({
    now: Timestamp,
    real_now: Timestamp,
    mode: OneOf(CLOCK_MODES),
    offset_ms: Type.Integer({ description: 'offset of now from the real time' }),
  }),
);

const By = Type.Union([Type.Integer(), Type.String({ maxLength: 64 })], {
  description: 'milliseconds, a number with ms, s, m, h or d, or an ISO 8601 duration',
  [EXPECTS]: 'an integer of milliseconds, a number with ms, s, m, h or d, or an ISO 8601 duration',
});

export const ClockMove = named(
  'SetClockRequest',
  Type.Object(
    {
      action: OneOf(CLOCK_ACTIONS),
      at: Type.Optional(Type.String({ format: 'date-time' })),
      by: Type.Optional(By),
    },
    strict,
  ),
);

export const clockEndpoints = [
  endpoint('GET /_kyclone/clock', {
    operationId: 'getClock',
    ...control,
    response: ClockState,
    summary: "The time and setting of the instance's clock",
  }),
  endpoint('PUT /_kyclone/clock', {
    operationId: 'setClock',
    ...control,
    body: ClockMove,
    response: named(
      'ClockChange',
      Type.Object({
        now: Timestamp,
        drained: Type.Integer({ description: 'number of due jobs that were run' }),
      }),
    ),
    summary:
      'Freeze, set, advance, offset or resume the clock; work that falls due is run before the response',
  }),
] as const;
