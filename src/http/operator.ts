/** Reads the operator's name from the emulator's own header (contract §11). */
import type { IncomingMessage } from 'node:http';
import { OPERATOR_HEADER, SEEN_HEADER } from '../contract/facts/access-log.ts';
import { decodeOperator, OPERATOR_RULE } from '../contract/operator-name.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Null when the header is absent. Throws `invalid_request`, which doesn't quote the header. */
export function readOperator(request: IncomingMessage): string | null {
  const operator = operatorIn(request);
  if (operator !== undefined) return operator;
  throw new ServiceError(
    'invalid_request',
    `Header ${OPERATOR_HEADER} must be one name in UTF-8, percent-encoded: ${OPERATOR_RULE}`,
  );
}

/** The number in the header `x-kyclone-seen`; null when it is absent. Throws `invalid_request`. */
export function readSeen({ headers }: IncomingMessage): number | null {
  const given = headers[SEEN_HEADER];
  if (given === undefined) return null;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  throw new ServiceError(
    'invalid_request',
    `Header ${SEEN_HEADER} must be the number of an entry of the access log`,
  );
}

/** As `readOperator`, but null for an invalid name, since the request is refused for another reason. */
export function operatorOfRefused(request: IncomingMessage): string | null {
  return operatorIn(request) ?? null;
}

/** Undefined for an invalid name, or more than one. */
function operatorIn({ headers, rawHeaders }: IncomingMessage): string | null | undefined {
  const given = headers[OPERATOR_HEADER];
  if (given === undefined) return null;
  const times = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.toLowerCase() === OPERATOR_HEADER,
  ).length;
  return times > 1 || typeof given !== 'string' ? undefined : decodeOperator(given);
}
