import { expect } from 'vitest';

/** The reasons of contract §1.1, copied from there; some go on with what was found. */
export const STR = 'must be a string';
export const LIST = 'must be a list of strings';
export const LEN = 'invalid length';
export const CTRL = 'contains a control character';
export const DIG = 'only digits are allowed';
export const DATE = goesOn('must be a real date in ISO 8601 form, YYYY-MM-DD');
export const MAIL = 'not a valid e-mail address';
export const TEL = goesOn('must be a phone number in E.164 form');
export const CTRY = 'must be an ISO 3166-1 alpha-2 country code';
export const ST = 'must be a two-letter US state code';
export const ENUM = 'not one of the allowed values';
export const ZIP = 'may hold only letters, digits, spaces and hyphens';
export const SUM = 'invalid checksum';
export const EXP = goesOn('not a valid month and year');
export const SSN = 'not a valid social security number';
export const ITIN = 'not a valid ITIN';
export const DRV = 'derived automatically and cannot be written';
export const UPL = 'must be set through the upload endpoint';
export const FAM = 'cannot be added to this type of vault';
export const XSSN = 'cannot be set while id.itin is present';
export const XITIN = 'cannot be set while id.ssn9 or id.ssn4 is present';
export const XTAX = 'differs from the tax identifier already present';
export const URL = 'not a valid web address';
export const STK = 'must be a number above 0 and at most 100';
export const OBJ = 'must be a list of owner objects';
export const SYM = 'each symbol must be 3 to 5 letters';
export const MIME = 'file type not allowed for this identifier';
export const SBX = 'reserved for the sandbox';
export const DEEP = 'nested too deeply';

function goesOn(reason: string): string {
  return expect.stringMatching(new RegExp(`^${reason}: .`)) as string;
}
