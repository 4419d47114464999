/** Errors of hosted pages (contract §14). */
import { FLOW_REFUSAL_TEXTS } from '../../../contract/facts/refusals.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';

export function wrongCode(left: number): ServiceError {
  const tries = left === 1 ? '1 try is left' : `${left} tries are left`;
  return invalid(`This is not the code that was sent: ${tries}`, {
    context: { code: `${FLOW_REFUSAL_TEXTS.CODE}: ${tries}` },
  });
}

export function unfinished(step: string): ServiceError {
  return new ServiceError('T121', `The flow is not at its end: it is at the step ${step}`);
}
