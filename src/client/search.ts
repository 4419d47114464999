/** Searches users and businesses. Repeats the request until the daemon has searched all of them (contract §11). */
import type { Environment } from '../nouns/entities/facts.ts';
import type { AnswerOf, RequestOf } from '../contract/registry.ts';
import type { Client } from './client.ts';
import { defined } from '../kernel/defined.ts';

interface Request {
  readonly query: { readonly tenant?: string | undefined; readonly environment?: Environment | undefined };
  readonly body: RequestOf<'POST /_kyclone/search'>['body'];
}
export type SearchResult = AnswerOf<'POST /_kyclone/search'>;
export type SearchReading = NonNullable<SearchResult['reading']>;

/** Throws what the client throws. All requests of one search count as one in the access log. */
export async function searchEntities(
  client: Pick<Client, 'call'>,
  { query, body }: Request,
  onReading: (reading: SearchReading) => void = () => undefined,
): Promise<SearchResult> {
  let { search_id } = body;
  for (;;) {
    const result: SearchResult = await client.call('POST /_kyclone/search', {
      query,
      body: { ...body, ...defined({ search_id }) },
    });
    if (result.reading === null) return result;
    onReading(result.reading);
    ({ search_id } = result);
  }
}
