/** An intent that reconnects a link (contract §7.2, §7.3). */
import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { NOON, failureOf } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';
import { aLink, bankValues, DAY, worldOf } from './a-bank.ts';

const LINK = 'POST /bank_links';
const MINUTE = 60_000;

describe('a reconnection', () => {
  test('bank_links: reconnects the same link, with the data of the days since', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'default', external_id: 'first' });
    await bank.reset(link.id);
    service.clock.advance(10 * DAY);

    const again = await bank.link(fp_id, { link_id: link.id });

    const now = new Date(NOON + 10 * DAY).toISOString();
    const times = { refreshed_at: now, last_attempted_at: now };
    expect(again).toEqual({
      ...link,
      products: Object.fromEntries(Object.keys(link.products).map((product) => [product, times])),
      last_synced_at: now,
    });
    expect(await bank.get(link.id)).toEqual(again);
    const { entries } = await worldOf(link, { now: NOON + 10 * DAY });
    expect((await bank.transactions(link.id, { size: 1 })).total).toBe(
      entries.filter(({ ledger }) => ledger === 'bank').length,
    );
    expect((await service.call('GET /bank_links')).body.meta.count).toBe(1);
  });

  test('bank_links: others are served while years are added, and see nothing before all are complete', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'joint' });
    await bank.reset(link.id);
    service.clock.advance(1_000.5 * DAY - MINUTE);
    const { total: before } = await bank.transactions(link.id, { size: 1 });
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });
    let isDone = false;
    const reply = service.request(LINK, { body: { intent_token } }).finally(() => (isDone = true));

    for (let request = 1; request <= 10; request++) {
      await setImmediate();
      expect((await bank.get(link.id)).state).toBe('error');
      expect((await bank.transactions(link.id, { size: 1 })).total).toBe(before);
    }
    expect(isDone).toBe(false);
    service.clock.advance(2 * MINUTE);

    expect(await reply).toMatchObject({ status: 200, body: { id: link.id, state: 'connected' } });
    const { entries } = await worldOf(link, { persona: 'joint', now: NOON + 1_000.5 * DAY + MINUTE });
    expect((await bank.transactions(link.id, { size: 1 })).total).toBe(entries.length);
  });

  test('bank_links: changes the external id when it is sent', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { external_id: 'first' });

    const second = await bank.link(fp_id, { link_id: link.id, external_id: 'second' });
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });
    const { body: none } = await service.call(LINK, { body: { intent_token, external_id: null } });

    expect([second.external_id, none.external_id]).toEqual(['second', null]);
    expect((await bank.get(link.id)).external_id).toBeNull();
  });

  test('bank_links: writes no account numbers again', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    await vaultOf(service, fp_id).delete({ fields: await bankValues(service, fp_id) });
    expect(await bankValues(service, fp_id)).toEqual([]);

    await bank.link(fp_id, { link_id: link.id });

    expect(await bankValues(service, fp_id)).toEqual([]);
  });

  test('bank_links: a bank that was down answers again, and still knows no account', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'broken' });

    const again = await bank.link(fp_id, { link_id: link.id });

    expect(again).toMatchObject({
      id: link.id,
      state: 'connected',
      error_code: null,
      last_synced_at: new Date(NOON).toISOString(),
    });
    expect(await bank.accounts(link.id)).toEqual([]);
  });

  test('bank_links: a link deleted meanwhile is not found', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });
    await service.call('DELETE /bank_links/{link_id}', { params: { link_id: link.id } });

    expect(await service.refused(LINK, { body: { intent_token } })).toMatchObject(
      failureOf(400, 'intent_invalid'),
    );
  });

  test('bank_links: of many at once one is served', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });

    const replies = await Promise.all([1, 2].map(() => service.request(LINK, { body: { intent_token } })));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
