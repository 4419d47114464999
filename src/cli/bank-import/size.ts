import { MIB } from '../../kernel/units.ts';
import { statementRefused } from './failures.ts';
import type { StatementRow } from './rows.ts';

/** As the contract has it (§0.10); its module would load the schemas. */
const IMPORT_LIMIT_BYTES = MIB;
const EMPTY_BODY_BYTES = Buffer.byteLength('{"transactions":[]}');

/**
 * Throws a refusal, with how many of the first rows would fit, when the daemon would refuse the body for its size. An
 * import is all or nothing, so that a file is split by whoever imports it, never here.
 */
export function checkSize(rows: readonly StatementRow[]): void {
  let bytes = EMPTY_BODY_BYTES;
  let fitting = 0;
  for (const [index, { members }] of rows.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(members)) + (index === 0 ? 0 : 1);
    if (bytes <= IMPORT_LIMIT_BYTES) fitting = index + 1;
  }
  if (bytes <= IMPORT_LIMIT_BYTES) return;
  throw statementRefused(
    `Nothing was sent: as JSON the rows are ${bytes} bytes, and one import takes ${IMPORT_LIMIT_BYTES}; ` +
      `the first ${fitting} of ${rows.length} rows would fit`,
    { hint: 'split the file: an import takes all of its rows or none' },
  );
}
