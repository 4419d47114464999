import type { Client } from '../client/client.ts';
import type { RequestOf } from '../contract/registry.ts';
import type { Clock } from './api.ts';
import { isoTime } from './options.ts';

export function createClock(client: Client): Clock {
  async function move(body: RequestOf<'PUT /_kyclone/clock'>['body']): Promise<Date> {
    return new Date((await client.call('PUT /_kyclone/clock', { body })).now);
  }

  return {
    now: async () => new Date((await client.call('GET /_kyclone/clock')).now),
    freeze: (at) =>
      move({ action: 'freeze', ...(at !== undefined && { at: isoTime(at, 'The time to freeze at') }) }),
    set: (at) => move({ action: 'set', at: isoTime(at, 'The time to set') }),
    advance: (by) => move({ action: 'advance', by }),
    resume: () => move({ action: 'resume' }),
  };
}
