import type { AnswerOf, EndpointKey, RequestOf } from '../../src/contract/registry.ts';

/** Calls the handlers of one noun without the service around them. */
export function handled(handlers: object) {
  return async <Key extends EndpointKey>(
    key: Key,
    request: Partial<Pick<RequestOf<Key>, 'params' | 'query' | 'body'>>,
  ) => {
    const handler = (handlers as Record<string, (asked: object) => unknown>)[key];
    const answer = (await handler?.({ query: {}, ...request })) as { body: AnswerOf<Key> };
    return answer.body;
  };
}
