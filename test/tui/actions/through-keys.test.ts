/** Actions as a user performs them: the key, the form with choices from the daemon, the question, the result. */
import { expect } from 'vitest';
import type { Source } from '../../../src/tui/data/source.ts';
import type { Runtime, Surroundings } from '../../../src/tui/runtime.ts';
import type { ScreenPlace, Setup } from '../../../src/tui/state/model.ts';
import { selectedRow } from '../../../src/tui/state/reading.ts';
import { aPng, aReadyUser } from '../../support/builders.ts';
import type { TestService } from '../../support/service.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { aLoadedRuntime, press } from '../../support/a-runtime.ts';
import { sourceOf, test } from './a-source.ts';

const screenOf = (source: Source, setup: Partial<Setup> = {}, more: Partial<Surroundings> = {}) =>
  aLoadedRuntime({ source: () => source, ...more }, setup);

const typed = (text: string): string[] => Array.from(text);

/** Returns the name of the field that the form asks for, once its choices are loaded. */
async function asked(runtime: Runtime): Promise<string | undefined> {
  const field = () => {
    const { overlay } = runtime.getState();
    return overlay?.kind === 'form' ? overlay.fields[overlay.at] : undefined;
  };
  await expect.poll(() => field()?.kind !== 'loaded' || field()?.choices !== undefined).toBe(true);
  return field()?.name;
}

async function noticeOf(runtime: Runtime): Promise<string | undefined> {
  await expect.poll(() => runtime.getState().busy).toBeUndefined();
  return runtime.getState().notice?.text;
}

test('onboard: three choices, a yes, and the user has the outcome', async ({ service }) => {
  const fp_id = await service.user(aReadyUser());
  const runtime = await screenOf(await sourceOf(service));

  press(runtime, 'o');
  expect(await asked(runtime)).toBe('playbook');
  press(runtime, 'enter');
  expect(await asked(runtime)).toBe('outcome');
  press(runtime, 'down', 'enter');
  expect(await asked(runtime)).toBe('again');
  press(runtime, 'enter', 'enter');
  const { overlay } = runtime.getState();
  expect(overlay?.kind === 'confirm' && overlay.lines[1]).toBe('Its outcome is fail.');
  press(runtime, 'y');

  expect(await noticeOf(runtime)).toMatch(/^Onboarding ob_\w+: fail$/);
  const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
  expect(body.status).toBe('fail');
});

test('decide: what is not right is asked for again, and a no does nothing', async ({ service }) => {
  await service.user();
  const runtime = await screenOf(await sourceOf(service));

  press(runtime, 'd', 'enter', 'enter');
  const { overlay } = runtime.getState();
  expect(overlay?.kind === 'form' && overlay.problem).toBe('Annotation is needed');
  press(runtime, ...typed('why'), 'enter');
  // There are no hits, so nothing is asked about them.
  await expect.poll(() => runtime.getState().overlay?.kind).toBe('confirm');
  press(runtime, 'n');

  expect(runtime.getState().notice?.text).toBe('Nothing was done');
  const { data } = (await service.call('GET /_kyclone/requests')).body;
  expect(data.filter(({ path }) => path.endsWith('/decisions'))).toEqual([]);
});

test('actions: where one does not apply it says what to select, and under --readonly none is begun', async ({
  service,
}) => {
  await service.user();
  const source = await sourceOf(service);
  const runtime = await screenOf(source);
  press(runtime, 'x');
  expect(runtime.getState().notice?.text).toBe('Select a field of a vault first');
  press(runtime, 'r');
  expect(runtime.getState().notice?.text).toBe('Select an event or a delivery first');

  const reader = await screenOf(source, { isReadonly: true });
  press(reader, 'o');
  expect(reader.getState().overlay).toBeUndefined();
  expect(reader.getState().notice?.text).toBe('--readonly is on: Run an onboarding is not possible');
});

test('resend: there is nothing to ask, so the question comes at once', async ({ service }) => {
  await service.call('POST /_kyclone/events/trigger', { body: { kind: 'onboarding.completed' } });
  const runtime = await screenOf(await sourceOf(service), { start: { screen: 'events', params: {} } });
  press(runtime, 'r');
  const { overlay } = runtime.getState();
  expect(overlay?.kind === 'confirm' && overlay.lines[0]).toMatch(/^Event evt_\w+ is sent again/);
});

/** Opens the Documents pane of a user with an image. */
async function onImage(service: TestService, setup: Partial<Setup>, more: Partial<Surroundings> = {}) {
  const fp_id = await service.user();
  await service.upload(fp_id, 'document.passport.front.image', aPng());
  const start: ScreenPlace = { screen: 'entity', params: { fp_id } };
  const runtime = await screenOf(await sourceOf(service), { start, ...setup }, more);
  press(runtime, 'tab', 'tab');
  await expect.poll(() => selectedRow(runtime.getState())?.subject).toMatchObject({ type: 'file' });
  return runtime;
}

test('reveal: an image is shown until a key hides it, and not when it comes after its user was left', async ({
  service,
}) => {
  const runtime = await onImage(service, {}, { canShow: () => true });
  const reveal = () => press(runtime, 'x', ...typed('why'), 'enter');
  const shown = () => runtime.getState().revealed?.image?.bytes;

  reveal();
  expect(await noticeOf(runtime)).toBe('The image was shown');
  expect(shown()).toEqual(new Uint8Array(aPng()));
  press(runtime, 'x');
  expect(shown()).toBeUndefined();

  reveal();
  press(runtime, 'tab');
  expect(await noticeOf(runtime)).toBe('The value came too late and was not shown');
  expect(shown()).toBeUndefined();
});

test('reveal: where the terminal shows no images, that is said before one is decrypted', async ({
  service,
}) => {
  const runtime = await onImage(service, { cannotShowImages: true });

  press(runtime, 'x');
  expect(runtime.getState().overlay).toBeUndefined();
  expect(runtime.getState().notice?.text).toBe(
    'This terminal shows no images, so nothing was decrypted: w saves the file, O opens it in the browser',
  );
  expect(await accessLog(service)).toEqual([]);
});

test('browse: the image is read when the browser has come, and is in the access log then', async ({
  service,
}) => {
  let seen = '';
  const browse: Surroundings['browse'] = async (read) => {
    expect(await accessLog(service)).toEqual([]);
    const { contentType, content } = await read();
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    seen = `${contentType} ${Buffer.concat(chunks).equals(aPng())}`;
    return true;
  };
  const runtime = await onImage(service, {}, { browse });
  press(runtime, 'O', ...typed('why'), 'enter');
  expect(await noticeOf(runtime)).toBe('The browser shows the image');
  expect(seen).toBe('image/png true');
  expect(await accessLog(service)).toMatchObject([{ operation: 'download', reason: 'why' }]);
});

test('browse: where no browser comes nothing was decrypted, and where none can be it is said before a reason is asked for', async ({
  service,
}) => {
  const runtime = await onImage(service, {}, { browse: () => Promise.resolve(false) });
  press(runtime, 'O', ...typed('why'), 'enter');
  expect(await noticeOf(runtime)).toBe('No browser opened, so nothing was decrypted: w saves the file');
  expect(await accessLog(service)).toEqual([]);

  const without = await onImage(service, { cannotBrowse: true, cannotShowImages: true });
  press(without, 'O');
  expect(without.getState().overlay).toBeUndefined();
  expect(without.getState().notice?.text).toMatch(/^There is no browser to open here.*w saves the file$/);
  press(without, 'x');
  expect(without.getState().notice?.text).toMatch(/w saves the file$/);
  const desktop = await onImage(service, { cannotShowImages: true });
  press(desktop, 'x');
  expect(desktop.getState().notice?.text).toMatch(/w saves the file, O opens it in the browser$/);
});
