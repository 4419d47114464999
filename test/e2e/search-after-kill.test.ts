/**
 * kill -9 while users are created and changed. After the next start the search finds every acknowledged user by their
 * current values and not by their former ones, at once and after the indexes are written (docs/architecture.md#vault).
 */
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';
import { isGone } from './books.ts';
import '../support/tier-all.ts';

const WRITERS = 6;
const AUDITORS = 48;
/** The number of users acknowledged before each kill. */
const ROUNDS = [7, 40, 12];

interface Person {
  readonly id: string;
  readonly email: string;
  /** An address that the user no longer has. */
  readonly former: string | undefined;
}

test('kill -9: the search finds every acknowledged user after it', async () => {
  const home = tempDir();
  const people: Person[] = [];
  let serial = 0;
  for (const enough of ROUNDS) {
    const daemon = await startKycloned({ home });
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
    await audit(daemon, people);
    const goal = people.length + enough;
    const writing = Promise.all(Array.from({ length: WRITERS }, () => write(daemon, agent)));
    await Promise.race([writing, until('enough is written', () => people.length >= goal)]);
    await daemon.stop('SIGKILL');
    await writing;
    agent.destroy();
  }
  const killed = await startKycloned({ home });
  await audit(killed, people);
  await killed.stop('SIGTERM');
  // A stop writes the indexes that were still missing.
  await audit(await startKycloned({ home }), people);

  async function write(daemon: Kycloned, agent: Agent): Promise<void> {
    try {
      for (;;) {
        const number = ++serial;
        const former = `p${number}@example.com`;
        const created = await daemon.call('POST', '/users', { agent, body: { 'id.email': former } });
        expect(created.status).toBe(200);
        const id = created.body['id'] as string;
        if (number % 5 > 0) {
          people.push({ id, email: former, former: undefined });
          continue;
        }
        const email = `q${number}@example.com`;
        const body = { 'id.email': email };
        const changed = await daemon.call('PATCH', `/users/${id}/vault`, { agent, body });
        expect(changed.status).toBe(200);
        people.push({ id, email, former });
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
});

async function audit(daemon: Kycloned, people: readonly Person[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AUDITORS });
  const waiting = [...people];
  const auditor = async () => {
    for (let person = waiting.pop(); person; person = waiting.pop()) {
      const { id, email, former } = person;
      expect([email, await found(daemon, email, agent)]).toEqual([email, [id]]);
      if (former !== undefined) expect([former, await found(daemon, former, agent)]).toEqual([former, []]);
    }
  };
  await Promise.all(Array.from({ length: AUDITORS }, auditor));
  agent.destroy();
}

async function found(daemon: Kycloned, search: string, agent: Agent): Promise<string[]> {
  const { status, body } = await daemon.call('POST', '/users/search', { agent, body: { search } });
  expect(status).toBe(200);
  return (body['data'] as { id: string }[]).map(({ id }) => id);
}
