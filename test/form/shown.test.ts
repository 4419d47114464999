import { describe, expect, test } from 'vitest';
import { shownAs } from '../../src/form/inputs.ts';

const base64 = (...bytes: number[]): string => Buffer.from(bytes).toString('base64');

describe('shownAs', () => {
  test('shownAs: absent data is nothing', () => {
    expect(shownAs('id.first_name', null)).toEqual({ kind: 'nothing' });
  });

  test('shownAs: text is text, other values are their JSON', () => {
    expect(shownAs('id.first_name', '<b>Ada</b>')).toEqual({ kind: 'text', text: '<b>Ada</b>' });
    expect(shownAs('custom.plan', { seats: 2 })).toEqual({ kind: 'text', text: '{"seats":2}' });
    expect(shownAs('custom.flag', false)).toEqual({ kind: 'text', text: 'false' });
  });

  test.each([
    ['image/png', base64(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0)],
    ['image/jpeg', base64(0xff, 0xd8, 0xff, 0xe0, 0)],
    ['image/gif', Buffer.from('GIF89a').toString('base64')],
    ['image/webp', Buffer.from('RIFF----WEBP').toString('base64')],
  ])('shownAs: a file that begins as %s is a picture of that type', (contentType, content) => {
    expect(shownAs('document.visa.front.image', content)).toEqual({
      kind: 'picture',
      url: `data:${contentType};base64,${content}`,
    });
  });

  test('shownAs: a file that is no picture is a file, markup included', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');

    expect(shownAs('document.custom.lease', svg)).toEqual({ kind: 'file', base64: svg });
  });

  test('shownAs: text that begins as a picture does is text where no file belongs', () => {
    expect(shownAs('custom.note', '/9j/ look at this')).toEqual({ kind: 'text', text: '/9j/ look at this' });
  });
});
