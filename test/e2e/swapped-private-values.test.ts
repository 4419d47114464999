/**
 * An attacker edits texts in the database that are sealed under the instance's own key: notes of reviewers, values of
 * rules, webhook secrets, requests of sessions. Reading a text that was moved to another row fails with the named error
 * and never returns the other row's text. What was not moved still works.
 */
import type { Database } from '../../src/storage/binding.ts';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { aReadyUser, KYC } from '../support/builders.ts';
import { startKycloned, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, DAMAGED, done, restartedAfter } from '../support/kycloned-calls.ts';
import { startTarget } from '../support/targets.ts';
import '../support/tier-all.ts';

async function aDecidedUser(daemon: Kycloned, annotation: string): Promise<string> {
  const id = await aUser(daemon, aReadyUser());
  await done(daemon.call('POST', `/users/${id}/kyc`, { body: { key: KYC } }));
  const body = { status: 'pass', annotation };
  await done(daemon.call('POST', `/users/${id}/decisions`, { body }));
  return id;
}

/** Restarts the daemon on its store with two values of one column exchanged. */
const exchanged = (daemon: Kycloned, table: string, column: string) =>
  restartedAfter(daemon, (store) => exchange(store, table, column));

function exchange(store: Database, table: string, column: string): void {
  const rows = store
    .prepare(`SELECT rowid AS row, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`)
    .all() as { row: number; sealed: Buffer }[];
  expect(rows).toHaveLength(2);
  const update = store.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
  for (const [index, { row }] of rows.entries()) update.run(rows[1 - index]?.sealed, row);
}

test('decisions: notes of two users, exchanged, are damaged; whatever else is known of them is not', async () => {
  const first = await startKycloned();
  const users = [await aDecidedUser(first, 'Alice called'), await aDecidedUser(first, 'Bruno wrote')];

  const daemon = await exchanged(first, 'decisions', 'sealed_note');

  for (const user of users) {
    const answers = [
      await daemon.call('GET', `/users/${user}/decisions`),
      await daemon.call('POST', `/users/${user}/integrations/partner_a/cip_report`, {
        body: { default_approver: 'Compliance' },
      }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(DAMAGED);
      expect(answer.text).not.toMatch(/Alice|Bruno/);
    }
    expect((await done(daemon.call('GET', `/users/${user}`)))['status']).toBe('pass');
    const { decisions } = await done(daemon.control('GET', `/_kyclone/entities/${user}`));
    expect(decisions).toMatchObject([
      { kind: 'manual', status: 'pass', annotation: '<damaged>', reviewer_email: null },
      { kind: 'playbook_run', status: 'pass', annotation: null },
    ]);
    await done(daemon.call('POST', `/users/${user}/kyc`, { body: { key: KYC } }));
    await done(daemon.call('DELETE', `/users/${user}`));
  }
});

test('webhooks: secrets of two endpoints, exchanged, sign nothing; a third endpoint gets everything', async () => {
  await using target = await startTarget();
  const first = await startKycloned();
  const register = async (path: string) => {
    const body = { url: `http://127.0.0.1:${target.port}/${path}` };
    return await done(first.control('POST', '/_kyclone/webhooks', { body }));
  };
  const moved = [await register('one'), await register('two')];
  const daemon = await exchanged(first, 'webhooks', 'sealed_secret');
  const whole = await done(
    daemon.control('POST', '/_kyclone/webhooks', { body: { url: `http://127.0.0.1:${target.port}/three` } }),
  );

  await done(daemon.control('POST', '/_kyclone/events/trigger', { body: { kind: 'onboarding.completed' } }));
  await until('an attempt for each endpoint', async () => {
    const { body } = await daemon.control('GET', '/_kyclone/deliveries');
    return (body['data'] as { attempt: number }[]).every(({ attempt }) => attempt > 0);
  });

  expect(target.requests.map(({ path }) => path)).toEqual(['/three']);
  const [heard] = target.requests;
  const headers = heard?.headers as Record<string, string>;
  expect(() => new Webhook(whole['secret'] as string).verify(heard?.body ?? '', headers)).not.toThrow();
  for (const { id } of moved) {
    expect(await daemon.control('GET', `/_kyclone/webhooks/${id as string}?reveal=true`)).toMatchObject(
      DAMAGED,
    );
  }
  const { data } = await done(daemon.control('GET', '/_kyclone/webhooks'));
  expect(data).toHaveLength(3);
  // Only a delete works on them.
  for (const { id } of moved) {
    expect(await daemon.control('POST', `/_kyclone/webhooks/${id as string}/rotate`)).toMatchObject(DAMAGED);
    await done(daemon.control('DELETE', `/_kyclone/webhooks/${id as string}`));
  }
  expect((await done(daemon.control('GET', '/_kyclone/webhooks')))['data']).toHaveLength(1);
});

test('sessions: requests of two, exchanged, are damaged; a third is played to its end', async () => {
  const first = await startKycloned();
  const begin = async (name: string) => {
    const body = { key: KYC, bootstrap_data: aReadyUser({ 'id.first_name': name }) };
    return (await done(first.call('POST', '/onboarding/session', { body })))['token'] as string;
  };
  const tokens = [await begin('Alice'), await begin('Bruno')];
  const daemon = await exchanged(first, 'onboarding_sessions', 'sealed_request');

  for (const token of tokens) {
    const answer = await daemon.control('POST', '/_kyclone/sessions/complete', { body: { token } });
    expect(answer).toMatchObject(DAMAGED);
    expect(answer.text).not.toMatch(/Alice|Bruno/);
  }
  expect((await done(daemon.control('GET', '/_kyclone/entities')))['data']).toEqual([]);
  const body = { key: KYC, bootstrap_data: aReadyUser() };
  const { token } = await done(daemon.call('POST', '/onboarding/session', { body }));
  await done(daemon.control('POST', '/_kyclone/sessions/complete', { body: { token } }));
});

/** Makes two users; for each, another operator wrote something. */
async function twoCases(daemon: Kycloned): Promise<string[]> {
  const users: string[] = [];
  for (const operator of ['Alice', 'Bruno']) {
    const id = await aUser(daemon, aReadyUser());
    const headers = { 'x-kyclone-operator': operator };
    const body = { key: KYC, fixture_result: 'manual_review' };
    await done(daemon.call('POST', `/users/${id}/kyc`, { body }));
    const about = `/_kyclone/entities/${id}`;
    const decision = { decision: 'confirmed', reason: `${operator} saw it` };
    const say = (path: string, body?: object) =>
      done(daemon.control('POST', about + path, { headers, body }));
    await say('/hits/watchlist_hit_ofac/review', decision);
    await say('/notes', { text: `${operator} wrote` });
    await say('/request_info', { note: `${operator} asks` });
    await say('/claim');
    const read = { fields: ['id.dob'], reason: 'a call' };
    await done(daemon.call('POST', `/users/${id}/vault/decrypt`, { headers, body: read }));
    users.push(id);
  }
  return users;
}

test.each([
  ['hit_reviews', 'sealed_note', 'hits'],
  ['notes', 'sealed_text', 'notes'],
  ['info_requests', 'sealed', 'requires_additional_info'],
  ['claims', 'sealed_operator', 'claim'],
])('%s: two exchanged are damaged, and say nothing of the other', async (table, column, member) => {
  const first = await startKycloned();
  const users = await twoCases(first);

  const daemon = await exchanged(first, table, column);

  for (const user of users) {
    const inspected = await done(daemon.control('GET', `/_kyclone/entities/${user}`));
    expect(JSON.stringify(inspected[member])).toContain('<damaged>');
    expect(JSON.stringify(inspected[member])).not.toMatch(/Alice|Bruno/);
    await done(daemon.call('DELETE', `/users/${user}`));
  }
});

test('access log: operators of two entries, exchanged, are damaged; the log says where', async () => {
  const first = await startKycloned();
  await twoCases(first);
  let rows: { seq: number; entry: string }[] = [];
  const daemon = await restartedAfter(first, (store) => {
    const sql = "SELECT seq, entry FROM access_log WHERE operation = 'decrypt' ORDER BY seq";
    rows = store.prepare(sql).all() as typeof rows;
    const operators = rows.map(({ entry }) => (JSON.parse(entry) as { operator: string }).operator);
    expect(new Set(operators).size).toBe(2);
    const edit = store.prepare(
      "UPDATE access_log SET entry = json_set(entry, '$.operator', ?) WHERE seq = ?",
    );
    for (const [index, { seq }] of rows.entries()) edit.run(operators[1 - index], seq);
  });

  const { data } = await done(daemon.control('GET', '/_kyclone/access-log?operation=decrypt'));
  expect(data).toMatchObject([
    { operation: 'decrypt', operator: '<damaged>' },
    { operation: 'decrypt', operator: '<damaged>' },
  ]);
  expect(JSON.stringify(data)).not.toMatch(/Alice|Bruno/);
  const verified = await done(daemon.control('GET', '/_kyclone/access-log/verify'));
  expect(verified).toMatchObject({ ok: false, first_bad_seq: rows[0]?.seq });
});
