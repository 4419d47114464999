/** Facts about a client token, from the instance. */
import { callJson, type FormConnection } from '../form/request.ts';

/** A part of the response of `GET /users/client_token`. */
export interface TokenFacts {
  readonly fields: readonly string[];
}

/** Throws VaultError. */
export async function tokenFacts(connection: FormConnection): Promise<TokenFacts> {
  return (await callJson(connection, { method: 'GET', path: '/users/client_token' })) as TokenFacts;
}
