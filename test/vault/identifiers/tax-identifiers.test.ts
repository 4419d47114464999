import { describe, expect, test } from 'vitest';
import { AN_ITIN, AN_SSN, refused, written } from './a-vault.ts';
import type { Data } from './a-vault.ts';
import { DIG, DRV, ITIN, LEN, SSN, XITIN, XSSN, XTAX } from './reasons.ts';

const OTHER_SSN = '123121234';
const OTHER_ITIN = '913881111';
const WITH_SSN9 = { 'id.ssn9': AN_SSN };
const WITH_SSN4 = { 'id.ssn4': '1234' };
const WITH_ITIN = { 'id.itin': AN_ITIN };

function accepts(stored: Data, changes: Data, set: Data, remove: string[] = []): void {
  expect(written(changes, { stored })).toEqual({ set, remove });
}

function refuses(stored: Data, changes: Data, context: Record<string, string>): void {
  expect(refused(changes, { stored })).toEqual(context);
}

describe('rule 1, writing ssn9', () => {
  test('write id.ssn9: an ssn4 in the same request is ignored, even malformed, wrong or null', () => {
    for (const ssn4 of ['1120', '9999', 'x', '', null, [] as never[]]) {
      accepts({}, { 'id.ssn9': AN_SSN, 'id.ssn4': ssn4 }, WITH_SSN9);
      accepts(WITH_SSN9, { 'id.ssn4': ssn4, 'id.ssn9': OTHER_SSN }, { 'id.ssn9': OTHER_SSN });
    }
  });

  test('write id.ssn9: a stored ssn4 row goes, whatever it says', () => {
    accepts(WITH_SSN4, { 'id.ssn9': AN_SSN }, WITH_SSN9, ['id.ssn4']);
    accepts(WITH_SSN4, { 'id.ssn9': AN_SSN, 'id.ssn4': null }, WITH_SSN9, ['id.ssn4']);
    accepts(WITH_SSN4, { 'id.us_tax_id': AN_SSN }, WITH_SSN9, ['id.ssn4']);
  });

  test('write id.ssn9: refused, it still makes the ssn4 beside it not count', () => {
    refuses({}, { 'id.ssn9': '12x', 'id.ssn4': 'bad' }, { 'id.ssn9': LEN });
  });

  test('write id.us_tax_id: as an SSN it writes ssn9, so an ssn4 beside it is ignored', () => {
    accepts({}, { 'id.us_tax_id': AN_SSN, 'id.ssn4': '9999' }, WITH_SSN9);
  });
});

describe('rule 2, ssn4 alone', () => {
  test('write id.ssn4: without ssn9 it is stored', () => {
    accepts({}, { 'id.ssn4': '1234' }, WITH_SSN4);
    accepts(WITH_SSN4, { 'id.ssn4': '4321' }, { 'id.ssn4': '4321' });
  });

  test('write id.ssn4: beside a stored ssn9 all four digits are refused alike', () => {
    for (const digits of ['1120', '1121', '0000']) {
      refuses(WITH_SSN9, { 'id.ssn4': digits }, { 'id.ssn4': DRV });
    }
    refuses(WITH_SSN9, { 'id.ssn4': '112' }, { 'id.ssn4': LEN });
  });

  test('write id.ssn4: with ssn9 deleted in the same request it stands alone', () => {
    accepts(WITH_SSN9, { 'id.ssn4': '1234', 'id.ssn9': null }, WITH_SSN4, ['id.ssn9']);
  });
});

describe('rule 3, ssn9 and ssn4 against itin', () => {
  test('write: the newly written one is refused', () => {
    refuses(WITH_ITIN, { 'id.ssn9': AN_SSN }, { 'id.ssn9': XSSN });
    refuses(WITH_ITIN, { 'id.ssn4': '1234' }, { 'id.ssn4': XSSN });
    refuses(WITH_SSN9, { 'id.itin': AN_ITIN }, { 'id.itin': XITIN });
    refuses(WITH_SSN4, { 'id.itin': AN_ITIN }, { 'id.itin': XITIN });
  });

  test('write: both in one request, both refused', () => {
    refuses({}, { 'id.ssn9': AN_SSN, 'id.itin': AN_ITIN }, { 'id.ssn9': XSSN, 'id.itin': XITIN });
    refuses({}, { 'id.ssn4': '1234', 'id.itin': AN_ITIN }, { 'id.ssn4': XSSN, 'id.itin': XITIN });
    refuses(
      {},
      { 'id.ssn9': AN_SSN, 'id.ssn4': '1', 'id.itin': AN_ITIN },
      { 'id.ssn9': XSSN, 'id.itin': XITIN },
    );
  });

  test('write: a malformed one keeps its own reason', () => {
    refuses(WITH_ITIN, { 'id.ssn9': '12345678x' }, { 'id.ssn9': DIG });
    refuses(WITH_SSN9, { 'id.itin': '123456789' }, { 'id.itin': ITIN });
    refuses({}, { 'id.ssn4': '12', 'id.itin': AN_ITIN }, { 'id.ssn4': LEN, 'id.itin': XITIN });
  });

  test('write: the state after the request counts', () => {
    accepts(WITH_SSN9, { 'id.ssn9': null, 'id.itin': AN_ITIN }, WITH_ITIN, ['id.ssn9']);
    accepts(WITH_SSN9, { 'id.itin': AN_ITIN, 'id.ssn9': null }, WITH_ITIN, ['id.ssn9']);
    accepts(WITH_SSN4, { 'id.itin': AN_ITIN, 'id.ssn4': null }, WITH_ITIN, ['id.ssn4']);
    accepts(WITH_ITIN, { 'id.itin': null, 'id.ssn9': AN_SSN }, WITH_SSN9, ['id.itin']);
    accepts(WITH_ITIN, { 'id.itin': null, 'id.ssn4': '1234' }, WITH_SSN4, ['id.itin']);
    accepts(
      WITH_SSN9,
      { 'id.ssn9': null, 'id.ssn4': null, 'id.itin': AN_ITIN, 'custom.a': 1 },
      { ...WITH_ITIN, 'custom.a': 1 },
      ['id.ssn9'],
    );
  });

  test('write: ssn9 gone but a new ssn4 set still excludes itin', () => {
    refuses(
      WITH_SSN9,
      { 'id.ssn9': null, 'id.ssn4': '1234', 'id.itin': AN_ITIN },
      { 'id.ssn4': XSSN, 'id.itin': XITIN },
    );
  });

  test('write: the same one again overwrites', () => {
    accepts(WITH_SSN9, { 'id.ssn9': OTHER_SSN }, { 'id.ssn9': OTHER_SSN });
    accepts(WITH_ITIN, { 'id.itin': OTHER_ITIN }, { 'id.itin': OTHER_ITIN });
  });
});

describe('rule 4, us_tax_id', () => {
  test('write id.us_tax_id: of the kind stored it overwrites', () => {
    accepts(WITH_SSN9, { 'id.us_tax_id': OTHER_SSN }, { 'id.ssn9': OTHER_SSN });
    accepts(WITH_ITIN, { 'id.us_tax_id': OTHER_ITIN }, { 'id.itin': OTHER_ITIN });
  });

  test('write id.us_tax_id: of the other kind it is refused', () => {
    refuses(WITH_SSN9, { 'id.us_tax_id': AN_ITIN }, { 'id.us_tax_id': XTAX });
    refuses(WITH_ITIN, { 'id.us_tax_id': AN_SSN }, { 'id.us_tax_id': XTAX });
    refuses(WITH_SSN4, { 'id.us_tax_id': AN_ITIN }, { 'id.us_tax_id': XTAX });
    refuses({}, { 'id.ssn4': '1234', 'id.us_tax_id': AN_ITIN }, { 'id.ssn4': XSSN, 'id.us_tax_id': XTAX });
  });

  test('write id.us_tax_id: the other kind gone in the same request makes room', () => {
    accepts(WITH_SSN9, { 'id.ssn9': null, 'id.us_tax_id': AN_ITIN }, WITH_ITIN, ['id.ssn9']);
    accepts(WITH_ITIN, { 'id.itin': null, 'id.us_tax_id': AN_SSN }, WITH_SSN9, ['id.itin']);
    accepts(WITH_SSN4, { 'id.ssn4': null, 'id.us_tax_id': AN_ITIN }, WITH_ITIN, ['id.ssn4']);
  });

  test('write id.us_tax_id: its source deleted in the same request is written again', () => {
    accepts(WITH_SSN9, { 'id.ssn9': null, 'id.us_tax_id': OTHER_SSN }, { 'id.ssn9': OTHER_SSN });
    accepts(WITH_ITIN, { 'id.us_tax_id': OTHER_ITIN, 'id.itin': null }, { 'id.itin': OTHER_ITIN });
  });

  test('write id.us_tax_id: together with an equal ssn9 or itin it is the same', () => {
    accepts({}, { 'id.us_tax_id': '078-05-1120', 'id.ssn9': AN_SSN }, WITH_SSN9);
    accepts({}, { 'id.us_tax_id': AN_ITIN, 'id.itin': '912-70-1234' }, WITH_ITIN);
  });

  test('write id.us_tax_id: together with an unequal ssn9 or itin it is refused', () => {
    refuses({}, { 'id.us_tax_id': OTHER_SSN, 'id.ssn9': AN_SSN }, { 'id.us_tax_id': XTAX });
    refuses({}, { 'id.us_tax_id': OTHER_ITIN, 'id.itin': AN_ITIN }, { 'id.us_tax_id': XTAX });
    refuses({}, { 'id.us_tax_id': AN_ITIN, 'id.ssn9': AN_SSN }, { 'id.us_tax_id': XTAX });
    refuses({}, { 'id.us_tax_id': AN_SSN, 'id.itin': AN_ITIN }, { 'id.us_tax_id': XTAX });
    refuses(
      {},
      { 'id.us_tax_id': AN_SSN, 'id.itin': AN_ITIN, 'id.ssn9': AN_SSN },
      { 'id.us_tax_id': XTAX, 'id.itin': XITIN, 'id.ssn9': XSSN },
    );
  });

  test('write id.us_tax_id: beside an equal ssn9 it is no other kind, even when it looks like an ITIN', () => {
    accepts({}, { 'id.ssn9': AN_ITIN, 'id.us_tax_id': AN_ITIN }, { 'id.ssn9': AN_ITIN });
  });

  test('write id.us_tax_id: alone, what looks like an ITIN is one, whatever ssn9 is stored', () => {
    for (const stored of [AN_ITIN, OTHER_ITIN]) {
      refuses({ 'id.ssn9': stored }, { 'id.us_tax_id': AN_ITIN }, { 'id.us_tax_id': XTAX });
    }
  });

  test('write id.us_tax_id: malformed, it has its own reason only', () => {
    refuses(WITH_ITIN, { 'id.us_tax_id': '000121234' }, { 'id.us_tax_id': SSN });
    refuses({}, { 'id.us_tax_id': '1', 'id.ssn4': '1' }, { 'id.us_tax_id': LEN, 'id.ssn4': LEN });
  });
});

describe('rule 5, deleting', () => {
  test('write null: derived ssn4 and us_tax_id are refused while their source stays', () => {
    refuses(WITH_SSN9, { 'id.ssn4': null }, { 'id.ssn4': DRV });
    refuses(WITH_SSN9, { 'id.us_tax_id': null }, { 'id.us_tax_id': DRV });
    refuses(WITH_ITIN, { 'id.us_tax_id': null }, { 'id.us_tax_id': DRV });
    refuses(WITH_SSN9, { 'id.us_tax_id': null, 'id.ssn9': OTHER_SSN }, { 'id.us_tax_id': DRV });
    refuses({}, { 'id.us_tax_id': null, 'id.itin': AN_ITIN }, { 'id.us_tax_id': DRV });
    refuses(WITH_ITIN, { 'id.us_tax_id': null, 'id.ssn9': null }, { 'id.us_tax_id': DRV });
  });

  test('write null: with the source deleted too it is accepted', () => {
    accepts(WITH_SSN9, { 'id.ssn4': null, 'id.us_tax_id': null, 'id.ssn9': null }, {}, ['id.ssn9']);
    accepts(WITH_ITIN, { 'id.us_tax_id': null, 'id.itin': null }, {}, ['id.itin']);
  });

  test('write null: an ssn4 of its own goes; what is absent stays absent', () => {
    accepts(WITH_SSN4, { 'id.ssn4': null }, {}, ['id.ssn4']);
    accepts({}, { 'id.ssn9': null, 'id.ssn4': null, 'id.itin': null, 'id.us_tax_id': null }, {});
    accepts(WITH_ITIN, { 'id.ssn4': null, 'id.ssn9': null }, {});
  });
});
