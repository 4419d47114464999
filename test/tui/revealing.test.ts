/** Reveals in a window: the whole of a long value, several fields for one reason, and no trace afterwards. */
import '../support/tier-all.ts';
import { expect } from 'vitest';
import type { Size } from '../../src/tui/state/model.ts';
import { selectedRow } from '../../src/tui/state/reading.ts';
import { expectFits, openApp, type OpenApp } from '../support/frames.tsx';
import { startService, type TestService } from '../support/service.ts';
import { test } from '../support/test-with.ts';
import { sourceOf } from './actions/a-source.ts';

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
];
/** Returns words that fill more than half of a window. */
const wordsFor = ({ columns, rows }: Size) =>
  Array.from({ length: Math.ceil(columns * rows * 0.08) }, (_, at) => `word${String(at).padStart(4, '0')}`);
const REASON = 'ticket 4711';
const PERSON = { 'id.first_name': 'Wilhelmina', 'id.last_name': 'Quimby', 'id.ssn9': '412739856' };

async function vaultOf(service: TestService, size: Size): Promise<OpenApp & { readonly fp_id: string }> {
  const fp_id = await service.user({ ...PERSON, 'custom.note': wordsFor(size).join(' ') });
  const source = await sourceOf(service);
  const app = openApp({ source, place: { screen: 'entity', params: { fp_id } }, size });
  await app.until(/Overview/);
  await app.press('2');
  await app.until(/1 of \d/);
  return Object.assign(app, { fp_id });
}

async function select(app: OpenApp, identifier: string): Promise<void> {
  await app.press('g');
  const selected = () => selectedRow(app.runtime.getState())?.id;
  for (let row = 0; row < 20 && selected() !== identifier; row += 1) await app.press('j');
  expect(selected()).toBe(identifier);
}

async function giveReason(app: OpenApp): Promise<void> {
  await app.until(/Reason \(typed below\)/);
  await app.enter(REASON);
  await app.until(/Hides in \d+ s/);
}

const wordsIn = (text: string): readonly string[] => text.match(/word\d{4}/g) ?? [];

test.each(SIZES)('reveal: all of a long value can be read at $columns x $rows', async (size) => {
  const words = wordsFor(size);
  await using service = await startService();
  using app = await vaultOf(service, size);
  await select(app, 'custom.note');
  await app.press('x');
  await giveReason(app);

  const seen = new Set(wordsIn(app.text()));
  expect(app.text()).toMatch(/lines 1 to \d+ of \d+ \(pagedown pageup\)/);
  for (let page = 0; page < 10 && seen.size < words.length; page += 1) {
    await app.press('pagedown');
    expectFits(app.screen.raw(), size);
    for (const word of wordsIn(app.text())) seen.add(word);
  }
  expect([...seen]).toEqual(words);
  expect(selectedRow(app.runtime.getState())?.id).toBe('custom.note');
  // At its end it scrolls no further, and it scrolls back to its beginning.
  const end = wordsIn(app.text());
  await app.press('pagedown', '\u0004');
  expect(wordsIn(app.text())).toEqual(end);
  for (let page = 0; page < 10; page += 1) await app.press('pageup');
  expect(wordsIn(app.text())[0]).toBe('word0000');

  await app.press('tab');
  expect(wordsIn(app.text())).toEqual([]);
  await app.press('shift-tab', 'escape');
  expect(wordsIn(app.text())).toEqual([]);
});

test.eachWith(SIZES)(
  'reveal: several fields for one reason, one call, one entry, at $columns x $rows',
  async (service, size) => {
    using app = await vaultOf(service, size);
    for (const identifier of ['id.first_name', 'id.ssn9']) {
      await select(app, identifier);
      await app.press('space');
    }
    await app.press('x');
    const asked = await app.until(/Reason \(typed below\)/);
    expect(asked).toContain(`2 fields of ${app.fp_id}`);
    await giveReason(app);

    const text = app.text();
    expectFits(app.screen.raw(), size);
    expect(text).toContain(`2 fields of ${app.fp_id}`);
    expect(text).toContain('id.first_name: Wilhelmina');
    expect(text).toContain('id.ssn9: 412739856');
    expect(text).not.toContain('Quimby');
    const { body } = await service.call('GET /_kyclone/access-log', { query: { fp_id: app.fp_id } });
    const decryptions = body.data.filter(({ operation }) => operation === 'decrypt');
    expect(decryptions).toMatchObject([
      { outcome: 'granted', reason: REASON, identifiers: ['id.first_name', 'id.ssn9'] },
    ]);

    // The first escape hides the values and keeps the marks; the next one removes the marks.
    await app.press('escape');
    expect(app.text()).not.toMatch(/Wilhelmina|412739856/);
    expect(app.text()).toContain('2 marked');
  },
);

test('reveal: a file among the marked ones is refused before anything is decrypted', async (service) => {
  using app = await vaultOf(service, { columns: 120, rows: 40 });
  await service.upload(app.fp_id, 'document.passport.front.image', Buffer.from('x'), 'application/pdf');
  await app.press('R');
  await app.until(/document\.passport\.front\.image/);
  await app.press('*', 'x');
  await app.until(/A file can only be revealed alone: unmark it first/);
  const { body } = await service.call('GET /_kyclone/access-log', { query: { fp_id: app.fp_id } });
  expect(body.data.filter(({ operation }) => operation === 'decrypt')).toEqual([]);
});

test('verify: what the caller says is not shown again once it is entered, nor by going back', async (service) => {
  using app = await vaultOf(service, { columns: 80, rows: 24 });
  await select(app, 'id.ssn9');
  await app.press('v');
  await app.until(/What the caller says \(typed below\)/);
  await app.enter('412739856');
  const text = await app.until(/Reason \(typed below\)/);
  expect(text).toContain('What the caller says: (typed, not shown again)');
  expect(text).not.toContain('412739856');
  await app.press('shift-tab');
  expect(await app.until(/What the caller says \(typed below\)/)).not.toContain('412739856');
  await app.enter('412739856');
  await app.enter(REASON);
  await app.until(/id\.ssn9: matches/);
});
