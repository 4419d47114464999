import { expect, test } from 'vitest';
import { describeIdentifier } from '../../../src/vault/identifiers/index.ts';
import { refused } from './a-vault.ts';
import { DRV, UPL } from './reasons.ts';
import { words } from '../../support/words.ts';

const KINDS = words`
  id_card drivers_license passport passport_card permit visa residence_document voter_identification ssn_card
  proof_of_address
`;

test.each(KINDS)('write document.%s: images come through upload, their types are derived', (kind) => {
  for (const side of ['front', 'back', 'selfie']) {
    const [image, type] = [`document.${kind}.${side}.image`, `document.${kind}.${side}.mime_type`];
    expect(refused({ [image]: 'aGk=', [type]: 'image/png' })).toEqual({ [image]: UPL, [type]: DRV });
    expect(describeIdentifier(image)).toMatchObject({ storage: 'file', derived: false, canonical: image });
    expect(describeIdentifier(type)).toMatchObject({ derived: true });
  }
});

test('write document: custom documents and letters come through upload', () => {
  const changes = { 'document.custom.lease': 'x', 'document.finra_compliance_letter': 'x' };
  expect(refused(changes)).toEqual({ 'document.custom.lease': UPL, 'document.finra_compliance_letter': UPL });
  expect(refused({ 'document.custom.lease': 'x' }, { kind: 'business' })).toEqual({
    'document.custom.lease': UPL,
  });
});

test('describe document.K.image: an alias of the front image, for documents of one page', () => {
  for (const kind of KINDS) {
    const alias = describeIdentifier(`document.${kind}.image`);
    if (kind === 'ssn_card' || kind === 'proof_of_address') {
      expect(alias?.canonical).toBe(`document.${kind}.front.image`);
      expect(refused({ [`document.${kind}.image`]: 'x' })).toEqual({ [`document.${kind}.image`]: UPL });
    } else {
      expect(alias).toBeUndefined();
    }
  }
});

test.each([
  [
    'document.passport.front.image',
    [
      'image/png',
      'image/svg+xml',
      'IMAGE/JPEG; q=1',
      'image/heic',
      'application/pdf',
      'application/octet-stream',
    ],
  ],
  ['document.ssn_card.image', ['image/heic', 'application/pdf']],
  ['document.finra_compliance_letter', ['application/pdf', 'application/pdf;version=2']],
  ['document.custom.lease', ['text/html', 'application/zip', 'application/json', 'video/mp4']],
  ['custom.blob', ['text/html', 'image/png']],
])('upload %s: allowed content types', (name, types) => {
  for (const type of types) expect(describeIdentifier(name)?.acceptsContentType(type)).toBe(true);
});

test.each([
  [
    'document.passport.front.image',
    ['', ...words`text/html text/plain application/json imagex/png video/mp4 application/pdfx x/image`],
  ],
  ['document.finra_compliance_letter', ['image/png', 'application/octet-stream', '']],
])('upload %s: refused content types', (name, types) => {
  for (const type of types) expect(describeIdentifier(name)?.acceptsContentType(type)).toBe(false);
});
