import { ApiError } from '../../../client/errors.ts';
import type { BankLink } from '../../../contract/bank-records.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { CliError, describeFailure } from '../../shell/failure.ts';
import type { Mistake, StatementRow } from './rows.ts';

/** So many mistakes are told one by one, as the daemon does. */
const TOLD = 50;
const MEMBER_OF_ROW = /^transactions\[(\d{1,9})\](?:\.(\w+))?$/;

/** The file as a whole cannot be imported. `message` and `hint` hold nothing of it. */
export function statementRefused(
  message: string,
  { hint, context }: { hint?: string | undefined; context?: Readonly<Record<string, string>> } = {},
): CliError {
  return new CliError(message, { code: 'statement_refused', exitCode: EXIT.invalid, hint, context });
}

/** What is wrong by `place, member`; the first fifty, and how many there are. */
export function rowsRefused(mistakes: readonly Mistake[], hint?: string): CliError {
  const places = new Set(mistakes.map(({ place }) => place)).size;
  const told = mistakes.slice(0, TOLD);
  const rest = mistakes.length - told.length;
  const message =
    `Nothing was imported: ${counted(mistakes.length, 'mistake')} in ${counted(places, 'row')}` +
    (rest === 0 ? '' : `; the first ${TOLD} are told, ${rest} more are not`);
  const context = Object.fromEntries(
    told.map(({ place, member, reason }) => [nameOf(place, member), reason]),
  );
  return statementRefused(message, { hint, context });
}

/** A refusal of the daemon, with rows named by their places in the file. */
export function refusedByDaemon(error: unknown, rows: readonly StatementRow[]): unknown {
  if (!(error instanceof ApiError) || error.context === undefined) return error;
  const context = Object.fromEntries(
    Object.entries(error.context).map(([name, reason]) => [placeOf(name, rows), reason]),
  );
  const { message, ...failure } = describeFailure(error);
  return new CliError(message, { ...failure, context, cause: error });
}

/** What the daemon would say of a link that takes nothing, when it isn't asked to import. */
export function requireConnected({ id, state }: Pick<BankLink, 'id' | 'state'>): void {
  if (state !== 'error') return;
  throw new CliError('This bank link is disconnected: it has to be connected again', {
    code: 'link_disconnected',
    exitCode: EXIT.failed,
    hint: `kyclone bank link --link ${id} connects it again`,
  });
}

function placeOf(name: string, rows: readonly StatementRow[]): string {
  const [, index, member] = MEMBER_OF_ROW.exec(name) ?? [];
  const place = index === undefined ? undefined : rows[Number(index)]?.place;
  return place === undefined ? name : nameOf(place, member);
}

function nameOf(place: string, member: string | undefined): string {
  return member === undefined ? place : `${place}, ${member}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
