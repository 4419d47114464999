/** The case page in windows of three sizes, and what support does from it: verify, compare, mark, and leave a trace. */
import { expect } from 'vitest';
import type { Size } from '../../src/tui/state/model.ts';
import { placeOf } from '../../src/nouns/entities/screen/place.ts';
import { aReadyUser } from '../support/builders.ts';
import { expectFits, openApp, type OpenApp } from '../support/frames.tsx';
import { onboardingOf } from '../support/runs.ts';
import type { TestService } from '../support/service.ts';
import { test } from '../support/test-with.ts';
import { accessLog } from '../support/vault-calls.ts';
import { sourceOf } from './actions/a-source.ts';

const SMALL: Size = { columns: 80, rows: 24 };
const WIDE: Size = { columns: 120, rows: 40 };
const WIDEST: Size = { columns: 200, rows: 60 };

/** Opens the page of a user who awaits a decision. There is another user with the same data. */
async function aCase(service: TestService, size: Size = SMALL) {
  const fp_id = await service.user(aReadyUser({ 'id.first_name': 'Quillonda', 'id.dob': '1988-12-30' }));
  const twin = await service.user(aReadyUser({ 'id.first_name': 'Quillonda', 'id.dob': '1988-12-30' }));
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  const source = await sourceOf(service, { operator: 'Ada' });
  const app = openApp({ source, size, place: placeOf(fp_id) });
  await app.until(/risk signals/);
  return Object.assign(app, { fp_id, twin });
}

test.eachWith([
  { size: SMALL, hasTimeline: false, hasRow: false },
  { size: WIDE, hasTimeline: true, hasRow: false },
  { size: WIDEST, hasTimeline: true, hasRow: true },
])(
  'case page: at $size.columns x $size.rows it says who, how it stands and why, and fits',
  async (service, { size, hasTimeline, hasRow }) => {
    using app = await aCase(service, size);
    const text = await app.until(
      hasTimeline ? /risk signals[^]*WHAT[^]*Onboarding ended: fail/ : /risk signals/,
    );
    expectFits(app.screen.raw(), size);
    expect(text).toMatch(/name +Q\*\*\* /);
    expect(text).toMatch(/date of birth +\S*1988/);
    expect(text).toMatch(/status +fail, to be reviewed/);
    expect(text).toMatch(/latest run +fail, to be reviewed, changed 20\d\d-/);
    expect(text).toMatch(/because of +OFAC list hit \(high\)/);
    expect(text).not.toContain('Quillonda');
    expect(text.includes('Onboarding ended: fail')).toBe(hasTimeline);

    // In a wide window the row under the cursor is read beside the list.
    await app.press('tab');
    await app.until(/Vault version/);
    expect(/IDENTIFIER +id\./.test(app.text())).toBe(hasRow);
    expectFits(app.screen.raw(), size);
    expect(app.text()).not.toContain(app.twin);
  },
);

/** Opens the list that a count of the page leads to. */
async function openCount(app: OpenApp, name: string): Promise<void> {
  await app.press('/');
  await app.type(name);
  await app.until(new RegExp(`> ${name}`));
  await app.press('enter', 'enter');
}

/** The entries of the access log about values that were read. */
async function readings(service: TestService) {
  return (await accessLog(service)).filter(({ effect }) => effect === null);
}

test('case page: a count opens its list', async (service) => {
  using app = await aCase(service);
  await openCount(app, 'duplicates');
  await app.until(/\[Duplicates \d/);
});

test('verify: what a caller says is compared, nothing is shown, and the log has who asked', async (service) => {
  using app = await aCase(service);
  const { fp_id } = app;
  await app.press('j', 'v');
  await app.until(/Verify what a caller says · id\.dob of /);
  await app.enter('12/30/1988');
  expect(app.text()).not.toContain('12/30/1988');
  await app.enter('call 4711');
  await app.until(/id\.dob: matches/);
  await app.press('v');
  await app.enter('1988-12-31');
  await app.enter('call 4711');
  await app.until(/id\.dob: does NOT match/);

  const [second, first] = await accessLog(service);
  for (const entry of [first, second])
    expect(entry).toMatchObject({ operation: 'verify', fp_id, operator: 'Ada', reason: 'call 4711' });
});

test('verify: of a line with several fields it asks for each, and compares what was given', async (service) => {
  using app = await aCase(service);
  const { fp_id } = app;
  await app.press('v');
  await app.until(/Verify what a caller says · name of /);
  expect(app.text()).toContain('id.first_name (typed below)');
  await app.press('enter');
  await app.until(/id\.last_name \(typed below\)/);
  await app.enter('bOTTOM');
  await app.enter('call 4711');
  await app.until(/id\.last_name: does NOT match/);

  expect(await readings(service)).toMatchObject([
    { operation: 'verify', fp_id, identifiers: ['id.last_name'], reason: 'call 4711' },
  ]);
});

test('verify: several facts at once have one form, one reason, one entry and a result each', async (service) => {
  using app = await aCase(service);
  const { fp_id } = app;
  await app.press('G', 'v');
  await app.until(/id\.first_name \(typed below\)/);
  await app.enter('quillonda', 'enter');
  await app.until(/id\.dob \(typed below\)/);
  await app.enter('30.12.88');
  await app.enter('call me', 'enter', 'enter', 'enter', 'enter');
  await app.until(/Reason \(typed below\)/);
  await app.enter('call 4711');
  await app.until(/id\.phone_number: can't be read\. Say it with \+ and the country code/);
  expect(app.text()).toMatch(/id\.first_name: matches[^]*id\.dob: matches/);

  expect(await readings(service)).toMatchObject([
    {
      operation: 'verify',
      fp_id,
      reason: 'call 4711',
      results: { 'id.first_name': 'match', 'id.dob': 'match', 'id.phone_number': 'unreadable' },
    },
  ]);
});

test('reveal: a line with several fields shows all of them, in one entry of the log', async (service) => {
  using app = await aCase(service);
  await app.press('x');
  await app.until(/Reveal a field · name of /);
  await app.enter('call 4711');
  await app.until(/id\.first_name: Quillonda[^]*id\.last_name: /);

  expect(await readings(service)).toMatchObject([
    { operation: 'decrypt', identifiers: ['id.first_name', 'id.last_name'], reason: 'call 4711' },
  ]);
});

test('compare: a duplicate and this one, with one key, in the log of both', async (service) => {
  using app = await aCase(service);
  const { fp_id, twin } = app;
  await app.press('7');
  await app.until(new RegExp(`> ${twin}`));
  await app.press('=');
  const text = await app.until(/\d+ same, 0 different/);
  expect(text).toMatch(/id\.dob +same/);
  expect(text).not.toContain('1988');
  const entries = await readings(service);
  expect(entries.map(({ operation, operator }) => [operation, operator])).toEqual([
    ['compare', 'Ada'],
    ['compare', 'Ada'],
  ]);
  expect(new Set(entries.map((entry) => entry.fp_id))).toEqual(new Set([fp_id, twin]));
});

test('decide, label and tag: each names whom it is about before it is done', async (service) => {
  using app = await aCase(service);
  const { fp_id } = app;
  await app.press('d');
  expect(await app.until(/Decide by hand/)).toMatch(new RegExp(`${fp_id} \\(Q\\*\\*\\* `));
  await app.press('enter');
  await app.enter('known customer');
  await app.until(/Hits that nobody decided on/);
  await app.press('enter');
  const question = await app.until(/y does it/);
  expect(question).toMatch(new RegExp(`${fp_id} \\(Q\\*\\*\\* `));
  expect(question).toContain('the reviewer is Ada');
  await app.press('y');
  await app.until(/Decided: pass/);
  await app.press('m');
  await app.until(/> 1 active/);
  await app.press('2', 'enter');
  await app.enter('forged papers');
  await app.until(/gets the label offboard_fraud/);
  await app.press('y');
  await app.until(/Labelled offboard_fraud/);
  await app.press('T');
  await app.enter('wave 2', 'enter', 'y');
  await app.until(/Tagged wave 2/);

  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  expect(body).toMatchObject({ status: 'pass', label: 'offboard_fraud', tags: [{ tag: 'wave 2' }] });
  expect(body.decisions[0]).toMatchObject({ kind: 'manual', reviewer_email: 'Ada' });
});

test('case page: a hit is decided on, a note is written and removed, and escape leads back to the page', async (service) => {
  using app = await aCase(service, WIDE);
  const { fp_id } = app;
  await app.until(/hits +2, 2 to be decided/);
  await openCount(app, 'hits');
  await app.until(/watchlist_hit_ofac +H decides/);
  await app.press('H', 'enter');
  await app.until(/The hit is: a false positive/);
  await app.enter('another date of birth');
  const question = await app.until(/y does it/);
  expect(question).toMatch(/is a false positive, decided by Ada/);
  expect(question).toMatch(/The hit: [A-Z][^,]+, \d\d %, [A-Z]/);
  expect(question).toMatch(/Status and review of the user do not change/);
  await app.press('y');
  await app.until(/watchlist_hit_ofac +false positive/);
  await app.press('enter');
  await app.until(/DECIDED BY +Ada: another date of birth/);
  await app.press('escape');
  await app.press('N');
  await app.enter('she calls back', 'y');
  await app.until(/The note is written/);
  await app.press('escape');
  await app.until(/\[Overview/);
  await app.press('escape');
  await app.until(/notes +1, the latest by Ada: she calls back/);
  await openCount(app, 'notes');
  await app.until(/Ada +she calls back/);
  await app.press('-');
  await app.enter('about someone else');
  await app.until(/y does it/);
  await app.press('y');
  await app.until(/The note is deleted[^]*No notes|No notes[^]*The note is deleted/);

  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  expect(body).toMatchObject({ notes: [], requires_manual_review: true });
  expect(body.hits.map(({ review }) => review)).toEqual([
    expect.objectContaining({ decision: 'false_positive', operator: 'Ada', reason: 'another date of birth' }),
    null,
  ]);
});

test('case page: a tag is removed from its list, the timeline is filtered by kind', async (service) => {
  using app = await aCase(service);
  const { fp_id } = app;
  await service.call('POST /users/{fp_id}/tags', { params: { fp_id }, body: { tag: 'wave 2' } });
  await app.press('R');
  await app.until(/tags +wave 2/);
  await app.press('8');
  await app.until(/tag +wave 2/);
  await app.press('-');
  await app.enter('over');
  expect(await app.until(/y does it/)).toContain('The tag “wave 2”');
  await app.press('y');
  await app.until(/No label and no tags/);
  await app.press(']', ']', ']', ']', ']');
  await app.until(/Onboarding ended/);
  await app.press('/');
  await app.type('sig');
  await app.until(/risk signals: [^]*/);
  await app.press('enter');
  expect(app.text()).not.toContain('Onboarding ended');
});

test('label: on a duplicate it means the duplicate; five at once have one form and a result each', async (service) => {
  const person = aReadyUser({ 'id.first_name': 'Quillonda', 'id.dob': '1988-12-30' });
  const fp_id = await service.user(person);
  const twins: string[] = [];
  for (let at = 0; at < 5; at += 1)
    twins.push(await service.user({ ...person, 'id.first_name': `Twin${String.fromCodePoint(65 + at)}` }));
  const source = await sourceOf(service, { operator: 'Ada' });
  using app = openApp({ source, size: SMALL, place: placeOf(fp_id) });
  await app.until(/risk signals/);
  await app.press('7');
  const list = await app.until(/\[Duplicates 5\][^]*T\*\*\*/);
  expect(list).toMatch(/USER.*NAME.*STATUS.*SAME.*LABEL/);
  await app.press('N');
  await app.until(/Write a note · fp_id_\w+ \(T\*\*\*/);
  expect(twins.some((twin) => app.text().includes(twin))).toBe(true);
  await app.press('escape', '*', 'm');
  await app.until(/Label · 5 marked rows: T\*\*\*/);
  await app.press('2', 'enter');
  await app.enter('one ring');
  await app.until(/gets the label offboard_fraud/);
  const labels = async () =>
    await Promise.all(
      [fp_id, ...twins].map(
        async (each) =>
          (await service.call('GET /users/{fp_id}/label', { params: { fp_id: each } })).body.kind,
      ),
    );
  expect(await labels()).toEqual(Array.from({ length: 6 }, () => null));
  await app.press('y');
  await app.until(/Label: 5 of 5 done/);
  expect(await labels()).toEqual([null, ...twins.map(() => 'offboard_fraud')]);
});
