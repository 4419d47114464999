import { ServiceError } from '../../kernel/errors.ts';

/**
 * The reason why a submitted value is refused. Cleaners return it instead of throwing, so that all problems are
 * reported at once.
 */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The same reason with what was found, which must not be a part of the value (contract §1.1). */
export function withFound({ reason }: Refusal, found: string | undefined): Refusal {
  return new Refusal(found === undefined ? reason : `${reason}: ${found}`);
}

/** The context messages of contract §1.1, by tag. */
export const REFUSED = {
  STR: new Refusal('must be a string'),
  LIST: new Refusal('must be a list of strings'),
  LEN: new Refusal('invalid length'),
  CTRL: new Refusal('contains a control character'),
  DIG: new Refusal('only digits are allowed'),
  DATE: new Refusal('must be a real date in ISO 8601 form, YYYY-MM-DD'),
  MAIL: new Refusal('not a valid e-mail address'),
  TEL: new Refusal('must be a phone number in E.164 form'),
  CTRY: new Refusal('must be an ISO 3166-1 alpha-2 country code'),
  ST: new Refusal('must be a two-letter US state code'),
  ENUM: new Refusal('not one of the allowed values'),
  ZIP: new Refusal('may hold only letters, digits, spaces and hyphens'),
  SUM: new Refusal('invalid checksum'),
  EXP: new Refusal('not a valid month and year'),
  SSN: new Refusal('not a valid social security number'),
  ITIN: new Refusal('not a valid ITIN'),
  DRV: new Refusal('derived automatically and cannot be written'),
  UPL: new Refusal('must be set through the upload endpoint'),
  FAM: new Refusal('cannot be added to this type of vault'),
  XSSN: new Refusal('cannot be set while id.itin is present'),
  XITIN: new Refusal('cannot be set while id.ssn9 or id.ssn4 is present'),
  XTAX: new Refusal('differs from the tax identifier already present'),
  URL: new Refusal('not a valid web address'),
  STK: new Refusal('must be a number above 0 and at most 100'),
  OBJ: new Refusal('must be a list of owner objects'),
  SYM: new Refusal('each symbol must be 3 to 5 letters'),
  MIME: new Refusal('file type not allowed for this identifier'),
  SBX: new Refusal('reserved for the sandbox'),
  DEEP: new Refusal('nested too deeply'),
  B64: new Refusal('must be base64'),
} as const;

const NAMED_IN_MESSAGE = 20;

/** `T120` with one context entry for each invalid identifier; the message names the first 20 (contract §1.1). */
export function vaultDataNotValid(problems: ReadonlyMap<string, Refusal>): ServiceError {
  const named = [...problems.keys()].slice(0, NAMED_IN_MESSAGE).join(', ');
  const context = Object.fromEntries([...problems].map(([name, refusal]) => [name, refusal.reason]));
  return new ServiceError('T120', `Vault data is not valid: ${named}`, { context });
}
