import { describe, expect, test } from 'vitest';
import { errorAnnotation, stepSummary, withoutCommands } from '../../../src/cli/exec/messages.ts';
import { maskedEvent } from '../../../src/cli/exec/evidence.ts';

const REQUEST = {
  id: 'req_1',
  at: '2026-01-31T12:00:00.000Z',
  method: 'GET',
  path: '/users',
  status: 404,
  code: 'not_found',
  context: {},
  hint: undefined,
  faults: [],
};

describe('what a runner reads', () => {
  test('errorAnnotation: is one line whatever is in it, and no other command', () => {
    const text = errorAnnotation('a,b::c\n%', ['100%', '\n::set-env name=PATH::x', 'a\r::warning::b']);
    expect(text).toBe(
      '::error title=a%2Cb%3A%3Ac%0A%25::100%25%0A ↵ ::set-env name=PATH::x%0Aa\\x0d::warning::b\n',
    );
  });

  test('withoutCommands: stands between a word that is new each time', () => {
    const [first, second] = [withoutCommands('::error::x\n'), withoutCommands('::error::x\n')];
    const [, token] = /^::stop-commands::([0-9a-f]{32})\n::error::x\n::\1::\n$/.exec(first) ?? [];
    expect(token).toHaveLength(32);
    expect(second).not.toContain(token);
  });

  test('stepSummary: a cell is no markup', () => {
    const hint = '|<img src=x>`[a](b)*_~\n# x';
    const [row] = stepSummary('*h*', [{ ...REQUEST, hint }])
      .split('\n')
      .slice(4);
    expect(row).toMatch(
      /^\| 404 \| GET \/users \| not&#95;found \| [^|<>`[\]*_~#]*(?:&#\d+;[^|<>`[\]*_~]*)+ \|$/,
    );
    expect(row?.replace(/&#\d+;/g, '')).not.toMatch(/[<>`[\]()*_~#&]/);
    expect(stepSummary('h', [])).toBe('### h\n\n');
  });
});

describe('maskedEvent', () => {
  test('maskedEvent: ids and our own words stay, whatever else there is does not', () => {
    const body = {
      fp_id: 'fp_id_7p793EF07xKXHqAeg5VGPj',
      status: 'manual_review_of_jane',
      is_ok: true,
      nothing: null,
      count: 7,
      fields: ['id.ssn9', 'Jane'],
      inner: { name: 'Jane' },
      note: 'fp_id_7p793EF07xKXHqAeg5VGPj Jane',
    };
    const event = { id: 'evt_1', kind: 'onboarding.completed', at: REQUEST.at, body } as const;
    expect(maskedEvent(event).body).toEqual({
      fp_id: body.fp_id,
      is_ok: true,
      nothing: null,
      status: '***',
      count: '***',
      fields: '***',
      inner: '***',
      note: '***',
    });
  });
});
