/** Two operators at one queue: claims, an action that another one was faster with, and hits decided together. */
import { expect } from 'vitest';
import type { ScreenPlace } from '../../../src/tui/state/model.ts';
import { selectedRow } from '../../../src/tui/state/reading.ts';
import { defined } from '../../../src/kernel/defined.ts';
import { aLoadedRuntime, press } from '../../support/a-runtime.ts';
import { aSource } from '../screens/a-source.ts';
import { aCase, test } from './a-source.ts';
import type { TestService } from '../../support/service.ts';

type Desk = Awaited<ReturnType<typeof deskOf>>;

/** Ada's inspector. */
async function deskOf(service: TestService, start: ScreenPlace) {
  const { port } = await service.listen();
  const runtime = await aLoadedRuntime(
    { source: (operator, seen) => aSource(port, 'sandbox', defined({ operator, seen })) },
    { start },
  );
  return {
    runtime,
    press: (...keys: string[]) => press(runtime, ...keys),
    /** How often the log was read for its last entry. */
    looks: () => service.log.filter((entry) => JSON.stringify(entry).includes('/_kyclone/access-log')).length,
  };
}

async function asBo(service: TestService, path: string, body: object): Promise<void> {
  const headers = { 'x-kyclone-operator': 'Bo' };
  expect((await service.send({ method: 'POST', path, headers, body })).status).toBe(200);
}

async function claimOf(service: TestService, fp_id: string): Promise<string | undefined> {
  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  return body.claim?.operator;
}

const overlayOf = ({ runtime }: Desk) => runtime.getState().overlay;
const noticeOf = ({ runtime }: Desk) => runtime.getState().notice?.text;
const REVIEWS = { screen: 'reviews', params: {} } as const;

test('an action that another operator was faster with says what has changed since, and asks again', async ({
  service,
}) => {
  const fp_id = await aCase(service);
  const desk = await deskOf(service, { screen: 'entity', params: { fp_id } });
  const looked = desk.looks();
  desk.press('m', 'enter', 'enter');
  expect(overlayOf(desk)?.kind).toBe('confirm');
  await expect.poll(desk.looks).toBeGreaterThan(looked);
  await asBo(service, `/users/${fp_id}/label`, { kind: 'offboard_fraud', reason: 'a stolen card' });

  desk.press('y');
  await expect.poll(() => overlayOf(desk)?.kind).toBe('form');
  const form = overlayOf(desk);
  expect(form?.kind === 'form' && form.problem).toMatch(
    /It has changed since: Bo at .*: label none -> offboard_fraud/,
  );
  const label = async () => (await service.call('GET /users/{fp_id}/label', { params: { fp_id } })).body.kind;
  expect(await label()).toBe('offboard_fraud');

  desk.press('enter', 'enter');
  await expect.poll(() => overlayOf(desk)?.kind).toBe('confirm');
  desk.press('y');
  await expect.poll(() => noticeOf(desk)).toBe('Labelled active');
  expect(await label()).toBe('active');
});

test('review queue: opening a case claims it, unless another operator has it', async ({ service }) => {
  const [first, second] = [await aCase(service), await aCase(service)];
  await asBo(service, `/_kyclone/entities/${second}/claim`, {});
  const desk = await deskOf(service, REVIEWS);
  desk.press('enter');
  await expect.poll(() => claimOf(service, first)).toBe('Ada');
  desk.press('escape', 'down', 'enter');
  await expect.poll(() => noticeOf(desk)).toMatch(/^Bo works on this case: C takes it over$/);
  expect(await claimOf(service, second)).toBe('Bo');
});

test('review queue: a case that is opened elsewhere later in the session is not claimed', async ({
  service,
}) => {
  const [opened, found] = [await aCase(service), await aCase(service)];
  const desk = await deskOf(service, REVIEWS);
  desk.press('enter');
  await expect.poll(() => claimOf(service, opened)).toBe('Ada');
  desk.press(':', ...Array.from(`users ${found}`), 'enter');
  await expect.poll(() => selectedRow(desk.runtime.getState())?.key).toBe(found);
  desk.press('enter');
  await expect.poll(() => selectedRow(desk.runtime.getState())?.key).toBe('name');
  expect(await claimOf(service, found)).toBe(undefined);
});

test.eachWith(['c', 'C'])(
  'review queue: %s takes the case of the row over, once that is confirmed',
  async ({ service }, key) => {
    const fp_id = await aCase(service);
    await asBo(service, `/_kyclone/entities/${fp_id}/claim`, {});
    const desk = await deskOf(service, REVIEWS);
    desk.press(key);
    const { overlay } = desk.runtime.getState();
    expect(overlay?.kind === 'confirm' && overlay.lines[0]).toContain(
      `${fp_id} is claimed by Ada for 15 minutes`,
    );
    expect(await claimOf(service, fp_id)).toBe('Bo');
    desk.press('y');
    await expect.poll(() => noticeOf(desk)).toMatch(/^The case is yours until/);
    expect(await claimOf(service, fp_id)).toBe('Ada');
  },
);

test('hits: marked ones are decided together, with one reason', async ({ service }) => {
  const fp_id = await aCase(service);
  const desk = await deskOf(service, { screen: 'entity', params: { fp_id } });
  const { hits } = (await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } })).body;
  expect(hits.length).toBeGreaterThan(1);
  for (let at = 0; at < 5; at += 1) desk.press('tab');
  await expect.poll(() => selectedRow(desk.runtime.getState())?.subject?.kind).toBe('hit');
  desk.press('space', 'space', 'H', 'down', 'enter', ...Array.from('same photo'), 'enter');
  const { overlay } = desk.runtime.getState();
  const lines = overlay?.kind === 'confirm' ? overlay.lines.join('\n') : '';
  for (const { reason_code } of hits) expect(lines).toContain(reason_code);
  desk.press('y');
  await expect
    .poll(async () => {
      const { body } = await service.call('GET /_kyclone/entities/{fp_id}/hits', { params: { fp_id } });
      return body.map(({ review }) => [review?.decision, review?.reason, review?.operator]);
    })
    .toEqual(hits.map(() => ['confirmed', 'same photo', 'Ada']));
});
