import { ServiceError } from '../../../src/kernel/errors.ts';
import { parseChain, TransformFailed } from '../../../src/vault/transforms/index.ts';

/** The ServiceError `action` throws; anything else it throws is a bug and goes on. */
export function refusalOf(action: () => unknown): ServiceError {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('the action was not refused');
}

/** The code and message with which a chain is refused. */
export function parseRefusal(chain: string): { code: string; message: string } {
  const { code, message } = refusalOf(() => parseChain(chain));
  return { code, message };
}

/** The transform that refuses the value `action` gives it. */
export function failureOf(action: () => unknown): { code: string; message: string; transform: string } {
  const refusal = refusalOf(action);
  if (!(refusal instanceof TransformFailed)) throw refusal;
  return { code: refusal.code, message: refusal.message, transform: refusal.transform };
}
