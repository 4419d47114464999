/** Searches with POST /_kyclone/search like a client that waits for the whole result. */
import type { AnswerOf, RequestOf } from '../../src/contract/registry.ts';
import type { TestService } from './service.ts';

type Body = RequestOf<'POST /_kyclone/search'>['body'];
type Result = AnswerOf<'POST /_kyclone/search'>;

/** Repeats the search until the service has read everything. Returns the last answer. */
export async function searched(
  service: TestService,
  search: string,
  { query, ...more }: Omit<Body, 'search'> & { query?: Record<string, string> } = {},
): Promise<Result> {
  const ask = async (search_id?: string) => {
    const body = { search, ...more, ...(search_id !== undefined && { search_id }) };
    return (await service.call('POST /_kyclone/search', { body, ...(query && { query }) })).body;
  };
  let answer = await ask(more.search_id);
  while (answer.reading) answer = await ask(answer.search_id);
  return answer;
}

export async function foundIds(service: TestService, search: string, more = {}): Promise<string[]> {
  const { data, meta } = await searched(service, search, more);
  if (meta.count !== data.length) throw new Error(`${meta.count} are counted, ${data.length} are there`);
  return data.map(({ id }) => id);
}
