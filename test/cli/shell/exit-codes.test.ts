import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/shell/exit-codes.ts';
import {
  ApiError,
  MissingCredentialError,
  PrivateFileError,
  UnreachableError,
} from '../../../src/client/errors.ts';
import { ERRORS } from '../../../src/contract/errors.ts';
import { NO_ENDPOINT } from '../../../src/contract/hints.ts';
import { CliError, describeFailure, InputNeededError, UsageError } from '../../../src/cli/shell/failure.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';

const apiError = (status: number, code: string) => new ApiError({ status, code, message: 'no' });

test('EXIT: the table for readers has every code', () => {
  const table = readFileSync('docs/pipelines.md', 'utf8').matchAll(/^\| (\d+) +\|/gm);
  expect(Array.from(table, ([, code]) => Number(code))).toEqual(Object.values(EXIT));
});

/** Checks the table of docs/architecture.md#command-line against the codes of contract §12. */
describe('describeFailure', () => {
  test.each([
    [400, 'T120', 7],
    [400, 'invalid_request', 7],
    [400, 'invalid_json', 7],
    [400, 'reason_required', 7],
    [400, 'transform_failed', 7],
    [400, 'external_id_taken', 7],
    [413, 'payload_too_large', 7],
    [415, 'unsupported_media_type', 7],
    [401, 'unauthenticated', 4],
    [403, 'scope_missing', 4],
    [403, 'permission_denied', 4],
    [403, 'origin_refused', 4],
    [421, 'misdirected_request', 4],
    [503, 'sealed', 4],
    [503, 'key_file_refused', 4],
    [503, 'not_ready', 5],
    [404, 'not_found', 6],
    [405, 'method_not_allowed', 6],
    [409, 'conflict', 1],
    [500, 'internal_error', 1],
    [503, 'vault_damaged', 1],
    [503, 'store_missing', 1],
    [507, 'storage_full', 1],
    [400, 'code_of_a_later_version', 7],
    [401, 'code_of_a_later_version', 4],
    [404, 'code_of_a_later_version', 6],
    [409, 'code_of_a_later_version', 1],
    [502, 'code_of_a_later_version', 1],
  ])('describeFailure: %i %s ends with %i', (status, code, exitCode) => {
    expect(describeFailure(apiError(status, code))).toMatchObject({ code, exitCode });
  });

  test.each([
    [new UsageError('no'), 2],
    [new InputNeededError('no'), 3],
    [new MissingCredentialError('no'), 4],
    [new PrivateFileError('no'), 4],
    [new UnreachableError('no'), 5],
    [new ServiceError('transform_invalid', 'no'), 7],
    [new CliError('no', { code: 'timed_out', exitCode: 124 }), 124],
    [new TypeError('no'), 1],
    ['no error at all', 1],
  ])('describeFailure: %s ends with %i', (error, exitCode) => {
    expect(describeFailure(error).exitCode).toBe(exitCode);
  });

  test("describeFailure: the daemon's message and context are shown unchanged", () => {
    const context = { 'id.dob': 'must be a real date' };
    const error = new ApiError({
      status: 400,
      code: 'T120',
      message: 'Vault data is not valid: id.dob',
      context,
    });
    expect(describeFailure(error)).toMatchObject({ message: 'Vault data is not valid: id.dob', context });
  });

  test('describeFailure: the hint is that of the catalogue, beside it the request to look for', () => {
    const error = new ApiError({ status: 409, code: 'T122', message: 'no', requestId: 'req_1' });
    expect(describeFailure(error)).toMatchObject({ hint: ERRORS.T122.hint, requestId: 'req_1' });
  });

  test('describeFailure: a path of the contract that the daemon lacks means another version; a raw path does not', () => {
    const failure = { status: 404, code: 'not_found', message: `${NO_ENDPOINT}; did you mean GET /users?` };
    const endpoint = 'GET /users/{fp_id}';
    expect(describeFailure(new ApiError({ ...failure, endpoint })).hint).toContain('kyclone restart');
    expect(describeFailure(new ApiError(failure)).hint).toBeUndefined();
  });

  test.each([
    ['GET /users/{fp_id}', /sandbox key .* live key/],
    ['PATCH /businesses/{fp_bid}/vault', /sandbox key .* live key/],
    ['GET /onboardings/{id}', /sandbox key .* live key/],
    ['POST /_kyclone/snapshots/{name}/load', /^kyclone snapshot list /],
    ['DELETE /_kyclone/faults/{id}', /^kyclone faults list /],
    ['GET /_kyclone/outcomes/{id}', /^kyclone outcomes list /],
    ['DELETE /users/{fp_id}/tags/{tag_id}', undefined],
    ['GET /users/vault/decrypt/{token}', undefined],
    [undefined, undefined],
  ])('describeFailure: what %s does not find has a hint of its own', (endpoint, hint) => {
    const error = new ApiError({ status: 404, code: 'not_found', message: 'no', endpoint });
    const shown = describeFailure(error).hint;
    if (hint === undefined) expect(shown).toBeUndefined();
    else expect(shown).toMatch(hint);
  });

  test('describeFailure: the message of an unexpected error is not shown, it may quote a value', () => {
    const error = new SyntaxError('Unexpected token in JSON: 123-45-6789');
    expect(JSON.stringify(describeFailure(error))).not.toContain('6789');
  });
});
