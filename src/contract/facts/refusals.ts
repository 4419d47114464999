/**
 * Why values are refused (contract §1.1), by tag. The vault reports the text; the page of hosted flows has a person's
 * sentence.
 */
export const REFUSAL_TEXTS = {
  STR: 'must be a string',
  LIST: 'must be a list of strings',
  LEN: 'invalid length',
  CTRL: 'contains a control character',
  DIG: 'only digits are allowed',
  DATE: 'must be a real date in ISO 8601 form, YYYY-MM-DD',
  MAIL: 'not a valid e-mail address',
  TEL: 'must be a phone number in E.164 form',
  CTRY: 'must be an ISO 3166-1 alpha-2 country code',
  ST: 'must be a two-letter US state code',
  ENUM: 'not one of the allowed values',
  ZIP: 'may hold only letters, digits, spaces and hyphens',
  SUM: 'invalid checksum',
  EXP: 'not a valid month and year',
  SSN: 'not a valid social security number',
  ITIN: 'not a valid ITIN',
  DRV: 'derived automatically and cannot be written',
  UPL: 'must be set through the upload endpoint',
  FAM: 'cannot be added to this type of vault',
  XSSN: 'cannot be set while id.itin is present',
  XITIN: 'cannot be set while id.ssn9 or id.ssn4 is present',
  XTAX: 'differs from the tax identifier already present',
  URL: 'not a valid web address',
  STK: 'must be a number above 0 and at most 100',
  OBJ: 'must be a list of owner objects',
  SYM: 'each symbol must be 3 to 5 letters',
  MIME: 'file type not allowed for this identifier',
  SBX: 'reserved for the sandbox',
  DEEP: 'nested too deeply',
  B64: 'must be base64',
} as const;

/** The same for what a step of a hosted flow refuses (contract §14). A number goes on after a colon. */
export const FLOW_REFUSAL_TEXTS = {
  REQUIRED: 'is required',
  PLAYBOOK: 'required by the playbook',
  CODE: 'is not the code that was sent',
  TWICE: 'is that of another owner',
  SHARES: 'the stakes add up to more than 100 per cent',
} as const;

/** How the text of `DATE` goes on when the form is right. */
export const NO_SUCH_DAY = 'the calendar has no such day';

export type RefusalTag = keyof typeof REFUSAL_TEXTS | keyof typeof FLOW_REFUSAL_TEXTS;
