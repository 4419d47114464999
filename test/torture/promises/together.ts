/** R8, R9: many concurrent writers lose nothing, and no request sees or undoes another's half-done work. */
import { Agent } from 'node:http';
import { expect } from 'vitest';
import { refusedStart, startKycloned, tempDir } from '../../support/kycloned.ts';
import { aUser, decrypt } from '../../support/kycloned-calls.ts';
import type { Run, TorturePromise } from '../promise.ts';

const CLIENTS = 24;

export const manyWriters: TorturePromise = {
  id: 'R8',
  name: 'many-writers',
  says: 'many writers at once: each version is one write, and a second daemon is refused',
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const daemon = await startKycloned({ home });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    for (;;) {
      const id = await aUser(daemon);
      const path = `/users/${id}/vault`;
      const numbers = Array.from({ length: CLIENTS }, () => random.below(1_000_000));
      const second = refusedStart({ home });
      const written = await Promise.all(
        numbers.map((number) => daemon.call('PATCH', path, { agent, body: { 'custom.number': number } })),
      );
      for (const { status, text } of written) expect(status, text).toBe(200);
      const versions = written.map(({ headers }) => Number(headers['x-fp-vault-version']));
      expect(versions.toSorted((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1));
      const fields = versions.map((version) => `custom.number:${version}`);
      const read = await decrypt(daemon, id, fields, { agent });
      expect(read.body).toEqual(Object.fromEntries(fields.map((field, index) => [field, numbers[index]])));
      const refused = await second;
      expect([refused.code, refused.announced?.message]).toEqual([
        8,
        expect.stringContaining(String(daemon.locator.pid)),
      ]);
      count('writes', CLIENTS);
      count('second daemons');
      yield;
    }
  },
};

export const requestsApart: TorturePromise = {
  id: 'R9',
  name: 'requests-apart',
  says: 'requests at once: none sees half of another, a refused one undoes no other',
  async *rounds({ random, count }: Run) {
    const daemon = await startKycloned();
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const id = await aUser(daemon, { 'custom.one': 0, 'custom.two': 0 });
    const path = `/users/${id}/vault`;
    const acknowledged = new Set<number>([0]);
    let last = 0;
    for (;;) {
      const requests = Array.from({ length: CLIENTS }, () => random.below(3));
      await Promise.all(
        requests.map(async (kind) => {
          if (kind === 0) {
            const number = ++last;
            const body = { 'custom.one': number, 'custom.two': number };
            const answer = await daemon.call('PATCH', path, { agent, body });
            expect(answer.status, answer.text).toBe(200);
            acknowledged.add(number);
          } else if (kind === 1) {
            // The request is refused as a whole: its first value is valid, its second isn't.
            const body = { 'custom.one': -1, 'id.dob': 'yesterday' };
            expect((await daemon.call('PATCH', path, { agent, body })).status).toBe(400);
          } else {
            const read = await decrypt(daemon, id, ['custom.one', 'custom.two'], { agent });
            expect(read.body['custom.one']).toBe(read.body['custom.two']);
            expect(read.body['custom.one']).toBeLessThanOrEqual(last);
            expect(read.body['custom.one']).toBeGreaterThanOrEqual(0);
          }
        }),
      );
      const { headers } = await daemon.call('GET', path);
      expect(Number(headers['x-fp-vault-version'])).toBe(acknowledged.size);
      count('requests', CLIENTS);
      yield;
    }
  },
};
