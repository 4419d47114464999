/** Changes the clock, faults, snapshots, webhook endpoints, outcome rules and API keys through the real service. */
import { expect } from 'vitest';
import { actions } from '../../../src/tui/actions/registry.ts';
import type { Values } from '../../../src/tui/actions/definition.ts';
import type { Source } from '../../../src/tui/data/source.ts';
import { performForMany } from '../../../src/tui/runtime.ts';
import { screens } from '../../../src/tui/screens/registry.ts';
import type { ActionName, Row, ScreenName, Subject } from '../../../src/tui/state/model.ts';
import { textOf } from '../../../src/tui/state/rows.ts';
import { SANDBOX_KEY } from '../../support/service.ts';
import { startTarget } from '../../support/targets.ts';
import { noticeOf, problemOf, sourceOf, test } from './a-source.ts';

const INSTANCE: Subject = { kind: 'instance', instance: 'default', environment: 'sandbox' };

async function rowsOf(source: Source, screen: ScreenName, pane = 0): Promise<readonly Row[]> {
  const page = await screens[screen].panes[pane]?.load(source, {
    params: {},
    cursor: undefined,
    filter: '',
    size: 100,
  });
  return page?.rows ?? [];
}
const cells = (row: Row | undefined) => row?.cells.map(textOf) ?? [];

async function does(source: Source, name: ActionName, subject: Subject | undefined, values: Values = {}) {
  if (subject === undefined) throw new Error('the row is about nothing');
  return await actions[name].perform(source, subject, values);
}
const on = (name: ActionName, row: Row | undefined) => actions[name].subject(row, undefined);

test('clock: it is frozen, advanced and resumed, and what fell due is counted', async ({ source }) => {
  const before = (await source.client.call('GET /_kyclone/clock')).now;
  await does(source, 'clock_freeze', INSTANCE);
  const moved = await does(source, 'clock_advance', INSTANCE, { by: '2d' });
  expect(noticeOf(moved)).toMatch(/^good: The clock shows 20.*; \d+ due tasks? ran$/);
  const { now, mode } = await source.client.call('GET /_kyclone/clock');
  expect([Date.parse(now) - Date.parse(before) >= 2 * 86_400_000, mode]).toEqual([true, 'frozen']);
  await does(source, 'clock_resume', INSTANCE);
  expect((await source.client.call('GET /_kyclone/clock')).mode).toBe('real');
  expect(problemOf('clock_advance', 'by', '-2d')).toBeDefined();
  expect(problemOf('clock_advance', 'by', 'soon')).toBeDefined();
});

test('faults: one that is injected is met, and deleted it is met no more', async ({ source }) => {
  const values = { path: '/users', method: 'GET', preset: 'down', times: '' };
  const questionOf = (times: string) => actions.fault_create.confirm(INSTANCE, { ...values, times })[0];
  expect(questionOf('1')).toMatch(/, once\.$/);
  expect(questionOf('2')).toMatch(/, 2 times\.$/);
  expect(noticeOf(await does(source, 'fault_create', INSTANCE, values))).toMatch(/^good: Fault rule /);
  const [rule] = await rowsOf(source, 'clock', 1);
  expect(cells(rule).slice(0, 2)).toEqual(['GET /users', '503 fault_injected']);
  await expect(source.client.call('GET /users')).rejects.toMatchObject({ status: 503 });
  const question = actions.fault_delete.confirm(on('fault_delete', rule) ?? INSTANCE, {});
  expect(question[0]).toContain('GET /users');
  await does(source, 'fault_delete', on('fault_delete', rule));
  expect(await rowsOf(source, 'clock', 1)).toEqual([]);
  await source.client.call('GET /users');
  await expect(does(source, 'fault_delete', on('fault_delete', rule))).rejects.toMatchObject({ status: 404 });
});

test('snapshots: one of the same name is replaced where that was chosen, and the question says so', async ({
  service,
  source,
}) => {
  await does(source, 'snapshot_create', INSTANCE, { name: 'lunch', existing: 'keep' });
  await service.user();

  const values = { name: 'lunch', existing: 'replace' };
  expect(actions.snapshot_create.confirm(INSTANCE, values).join(' ')).toContain(
    'is replaced: what it held, and no other snapshot does, is lost for good',
  );
  await does(source, 'snapshot_create', INSTANCE, values);

  const rows = await rowsOf(source, 'snapshots');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows[0])).toContain('1 user');
});

test('snapshots: saved, loaded with what came since gone, and deleted', async ({ service, source }) => {
  const kept = await service.user({ 'id.first_name': 'Piper' });
  await does(source, 'snapshot_create', INSTANCE, { name: 'lunch' });
  const later = await service.user({ 'id.first_name': 'Quill' });
  await expect(does(source, 'snapshot_create', INSTANCE, { name: 'lunch' })).rejects.toMatchObject({
    status: 409,
    message: 'There is a snapshot “lunch” already: choose that it is replaced, or another name',
  });
  const [row] = await rowsOf(source, 'snapshots');
  const subject = on('snapshot_load', row) ?? INSTANCE;
  const question = actions.snapshot_load.confirm(subject, { revoked: 'keep', instance: 'default' }).join(' ');
  expect(question).toMatch(/lunch replaces.*instance default.*: .*1 user.*saved 20.* lost for good/);
  expect(noticeOf(await does(source, 'snapshot_load', subject, { revoked: 'keep' }))).toContain('is loaded');
  await source.client.call('GET /users/{fp_id}', { params: { fp_id: kept } });
  await expect(source.client.call('GET /users/{fp_id}', { params: { fp_id: later } })).rejects.toMatchObject({
    status: 404,
  });
  await does(source, 'snapshot_delete', on('snapshot_delete', row));
  expect(await rowsOf(source, 'snapshots')).toEqual([]);
});

test('webhook endpoints: created with a secret, tried, disabled, enabled and deleted', async ({
  service,
}) => {
  await using receiver = await startTarget();
  const source = await sourceOf(service);
  const url = `${receiver.url}/hooks`;
  const made = await does(source, 'webhook_create', INSTANCE, { url, kinds: 'onboarding.completed' });
  expect(made).toMatchObject({ type: 'secret', secret: expect.stringMatching(/^whsec_/) as string });
  const read = async () => (await rowsOf(source, 'webhooks'))[0];
  expect(cells(await read()).slice(1, 4)).toEqual(['enabled', url, 'onboarding.completed']);
  const subject = on('webhook_test', await read());
  expect(noticeOf(await does(source, 'webhook_test', subject, { kind: 'vault.updated' }))).toContain(
    'Delivered',
  );
  expect(receiver.requests).toHaveLength(1);
  await does(source, 'webhook_switch', subject);
  const disabled = await read();
  expect(cells(disabled)[1]).toContain('disabled');
  const question = actions.webhook_switch.confirm(on('webhook_switch', disabled) ?? INSTANCE, {});
  expect(question[0]).toMatch(/is enabled\.$/);
  await does(source, 'webhook_switch', on('webhook_switch', disabled));
  expect(cells(await read())[1]).toBe('enabled');
  await does(source, 'webhook_delete', subject);
  expect(await read()).toBeUndefined();
});

test('outcome rules: one decides the runs that it names until it is deleted', async ({ source }) => {
  const values = { by: 'external_id', pattern: 'vip-*', outcome: 'manual_review', times: '2' };
  expect(actions.outcome_create.confirm(INSTANCE, values)[0]).toBe(
    'The next 2 runs in the sandbox environment of instance default whose external id is vip-* end as manual_review.',
  );
  await does(source, 'outcome_create', INSTANCE, values);
  const [rule] = await rowsOf(source, 'outcomes');
  expect(cells(rule).slice(0, 4)).toEqual(['100', 'manual_review', 'external id vip-*', '2 of 2']);
  await does(source, 'outcome_delete', on('outcome_delete', rule));
  expect(await rowsOf(source, 'outcomes')).toEqual([]);
});

test('API keys: shown once, rolled and revoked; the one in use here is not to be lost', async ({
  service,
  source,
}) => {
  const made = await does(source, 'key_create', INSTANCE, { name: 'robot' });
  const key = made.type === 'secret' ? made.secret : '';
  const status = async (secret: string) => {
    const reply = await service.send({
      method: 'GET',
      path: '/users',
      headers: { 'x-service-secret-key': secret },
    });
    return reply.status;
  };
  expect(await status(key)).toBe(200);
  const robot = async () => (await rowsOf(source, 'keys')).find((row) => cells(row)[2] === 'robot');
  expect(cells(await robot())).not.toContain(key);
  const rolled = await does(source, 'key_roll', on('key_roll', await robot()));
  const next = rolled.type === 'secret' ? rolled.secret : '';
  expect(rolled).toMatchObject({
    lines: [expect.stringContaining('is deleted') as string, expect.anything()],
  });
  expect([await status(key), await status(next)]).toEqual([401, 200]);
  await does(source, 'key_delete', on('key_delete', await robot()));
  expect([await status(next), await robot()]).toEqual([401, undefined]);
  const own = (await rowsOf(source, 'keys')).filter((row) =>
    SANDBOX_KEY.startsWith(cells(row)[3]?.slice(0, -1) ?? '-'),
  );
  expect(own).toHaveLength(1);
  expect([on('key_delete', own[0]), on('key_roll', own[0])]).toEqual([undefined, undefined]);
});

test('many: each is done by itself, a failure stops no other, and each result names its row', async ({
  source,
}) => {
  for (const path of ['/users', '/businesses', '/never'])
    await does(source, 'fault_create', INSTANCE, { path, method: 'any', preset: 'slow', times: '' });
  const marked = (await rowsOf(source, 'clock', 1)).flatMap(({ key, subject }) =>
    subject === undefined ? [] : [{ key, subject }],
  );
  await does(source, 'fault_delete', marked[1]?.subject);
  const reports: string[] = [];
  const report = (text: string) => void reports.push(text);
  const results = await performForMany(source, 'fault_delete', { marked, values: {}, report });
  expect(results.map(({ key, isDone }) => [key, isDone])).toEqual(
    marked.map(({ key }, at) => [key, at !== 1]),
  );
  for (const [at, { text }] of results.entries()) expect(text).toContain(marked[at]?.key);
  expect(reports.at(-1)).toBe('Delete the fault rule, 3 of 3');
  expect(await rowsOf(source, 'clock', 1)).toEqual([]);
});
