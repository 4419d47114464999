import type { EndpointKey, RequestOf } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { ComparisonCall, Comparisons } from './service.ts';

export { createComparisons, type Comparisons } from './service.ts';

/** For users and businesses. */
export function comparisonHandlers(
  comparisons: Comparisons,
): Handlers<Extract<EndpointKey, `${string}}/verify` | `${string}}/compare`>> {
  const verify = async (call: ComparisonCall & Pick<RequestOf<'POST /users/{fp_id}/verify'>, 'body'>) =>
    answer(await comparisons.verify(call, call.body));
  const compare = async (call: ComparisonCall & Pick<RequestOf<'POST /users/{fp_id}/compare'>, 'body'>) =>
    answer(await comparisons.compare(call, call.body));
  return {
    'POST /users/{fp_id}/verify': verify,
    'POST /businesses/{fp_bid}/verify': verify,
    'POST /users/{fp_id}/compare': compare,
    'POST /businesses/{fp_bid}/compare': compare,
  };
}
