/** The QR code that a terminal shows, decoded as a camera does (contract §14). */
import { expect, test } from 'vitest';
import { phoneLink } from '../../../src/cli/shell/open-privately.ts';
import { readQrCode } from '../../support/qr-codes.ts';

const LINK = 'http://192.0.2.7:4010/hosted/onboarding#obtok_hGa1Zk3oRVrWk6mUsFpkRjfPVyM6WRHU1V';
const WIDE = { columns: 80, hasColour: true };

test('QR code: a camera reads the link, with colours and without them', () => {
  for (const hasColour of [true, false]) {
    const shown = phoneLink(LINK, { columns: 80, hasColour });
    const code = shown && 'code' in shown ? shown.code : '';
    expect(code.includes('\u001b['), String(hasColour)).toBe(hasColour);
    expect(readQrCode(code), String(hasColour)).toBe(LINK);
  }
});

test('QR code: none of a link that leads to the machine itself, of no one address, or wider than the terminal', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2']) {
    expect(phoneLink(LINK.replace('192.0.2.7', host), WIDE), host).toBeUndefined();
  }
  for (const host of ['0.0.0.0', '[::]']) {
    expect(phoneLink(LINK.replace('192.0.2.7', host), WIDE), host).toMatchObject({
      note: expect.stringContaining('--host ADDRESS') as string,
    });
  }
  expect(phoneLink(LINK, { columns: 44, hasColour: true })).toMatchObject({
    note: expect.stringContaining('too narrow') as string,
  });
});
