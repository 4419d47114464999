/** R5: the power fails at any moment; the store opens and holds what was acknowledged before that moment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifyLog } from '../../e2e/books.ts';
import { bytesOf, decrypted, expectSame, FRONT, upload } from '../../e2e/file-calls.ts';
import { startKycloned, tempDir, type Kycloned } from '../../support/kycloned.ts';
import { decrypt } from '../../support/kycloned-calls.ts';
import { layOutAfterPowerCut } from '../disk-model.ts';
import { readTrace, RECORDED_CALLS, type DiskEvent } from '../disk-trace.ts';
import type { TorturePromise } from '../promise.ts';
import { underRecording } from '../strace.ts';

const CLIENTS = 5;
const WRITES_EACH = 6;
const CUTS_PER_RECORDING = 6;
const FILE_BYTES = 70_000;

type Client = Awaited<ReturnType<typeof oneClient>>;

/**
 * Creates a user, writes the numbers 1, 2, 3 and so on, and uploads a file. Returns the request ids of the responses, in
 * this order.
 */
async function oneClient(daemon: Kycloned) {
  const made = await daemon.call('POST', '/users', { body: { 'custom.number': 0, 'custom.twin': 0 } });
  expect(made.status, made.text).toBe(200);
  const id = made.body['id'] as string;
  const answers = [String(made.headers['x-request-id'])];
  for (let number = 1; number <= WRITES_EACH; number++) {
    const body = { 'custom.number': number, 'custom.twin': number };
    const answer = await daemon.call('PATCH', `/users/${id}/vault`, { body });
    expect(answer.status, answer.text).toBe(200);
    answers.push(String(answer.headers['x-request-id']));
  }
  const stored = await upload(daemon, { fp_id: id, identifier: FRONT }, bytesOf(id, FILE_BYTES));
  expect(stored.status, stored.bytes.toString()).toBe(200);
  return { id, answers, uploadAnswer: String(stored.headers['x-request-id']) };
}

async function record(home: string, trace: string): Promise<{ clients: Client[]; events: DiskEvent[] }> {
  const daemon = await startKycloned({ home, under: underRecording(RECORDED_CALLS, trace) });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => oneClient(daemon)));
  await daemon.stop();
  return { clients, events: readTrace(readFileSync(trace, 'utf8'), home) };
}

/** Checks one client's user in the store after the cut: as acknowledged, or one write further. */
async function audit(daemon: Kycloned, client: Client, given: ReadonlySet<string>): Promise<void> {
  const { id, answers, uploadAnswer } = client;
  const acknowledged = answers.filter((answer) => given.has(answer)).length;
  const read = await decrypt(daemon, id, ['custom.number', 'custom.twin']);
  if (acknowledged === 0 && read.status === 404) return;
  expect([id, read.status, read.text]).toEqual([id, 200, expect.anything()]);
  const number = read.body['custom.number'] as number;
  expect([id, read.body['custom.twin']]).toEqual([id, number]);
  expect([acknowledged - 1, acknowledged]).toContain(number);
  const [file] = await decrypted(daemon, id, FRONT);
  if (given.has(uploadAnswer) || file) expectSame(file, bytesOf(id, FILE_BYTES), id);
}

export const powerCut: TorturePromise = {
  id: 'R5',
  name: 'power-cut',
  says: 'the power goes: what was answered before is there, and the rest is whole or absent',
  needs: ['strace'],
  weight: 2,
  async *rounds({ random, count }) {
    const folder = tempDir();
    const home = join(folder, 'home');
    for (;;) {
      const { clients, events } = await record(home, join(folder, 'trace'));
      const first = events.findIndex((event) => event.kind === 'answer');
      expect(first).toBeGreaterThan(0);
      for (let cut = 0; cut < CUTS_PER_RECORDING; cut++) {
        const before = events.slice(0, random.between(random.once(4) ? 0 : first, events.length));
        const given = new Set(before.flatMap((event) => (event.kind === 'answer' ? event.requestId : [])));
        layOutAfterPowerCut(before, home, random);
        const daemon = await startKycloned({ home });
        await verifyLog(daemon, 0);
        for (const client of clients) await audit(daemon, client, given);
        await daemon.stop();
        count('power cuts');
        count('answers', given.size);
      }
      layOutAfterPowerCut([], home, random);
      yield;
    }
  },
};
