import { ServiceError } from '../../../src/kernel/errors.ts';
import { parseChain, TransformFailed } from '../../../src/vault/transforms/index.ts';

/** Returns the ServiceError that `action` throws. Any other error is a bug and is thrown. */
export function refusalOf(action: () => unknown): ServiceError {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the action was not refused');
}

/** Returns the code and message with which a chain is refused. */
export function parseRefusal(chain: string): { code: string; message: string } {
  const { code, message } = refusalOf(() => parseChain(chain));
  return { code, message };
}

/** Returns the code, the message and the transform of the TransformFailed that `action` throws. */
export function failureOf(action: () => unknown): { code: string; message: string; transform: string } {
  const refusal = refusalOf(action);
  if (!(refusal instanceof TransformFailed)) throw refusal;
  return { code: refusal.code, message: refusal.message, transform: refusal.transform };
}
