/** The reason of an action, for the access log (contract §11). */
import { Type } from '@sinclair/typebox';
import { REASON_LIMIT } from './facts/access-log.ts';
import { named } from './named.ts';

export const Reason = Type.String({ minLength: 1, maxLength: REASON_LIMIT });

/** Clients of the service send none, so that it is never required there. */
export const OptionalReason = Type.Optional(
  Type.String({ minLength: 1, maxLength: REASON_LIMIT, description: 'ours: why, for the access log' }),
);

/** The body of a call that only removes something. */
export const ReasonBody = named('RemovalRequest', Type.Object({ reason: OptionalReason }));
