/** The credential of a call, and the scopes that it needs (contract §0.2, §0.3). */
import { TOKEN_SCOPES_THAT, type TokenScope } from './facts/client-tokens.ts';
import type { Endpoint } from './endpoint.ts';

/** Alternatives, each with the scopes that it needs. */
export type OpenApiSecurity = readonly Readonly<Record<string, readonly string[]>>[];

export interface SecurityScheme {
  readonly type: 'http' | 'apiKey';
  readonly scheme?: 'basic' | 'bearer';
  readonly in?: 'header';
  readonly name?: string;
  /** The title, since the name of a scheme can't have blanks. */
  readonly 'x-displayName': string;
  readonly description: string;
}

export type SecuritySchemes = Readonly<
  Record<'secretKeyBasic' | 'secretKeyHeader' | 'clientToken' | 'flowToken' | 'controlToken', SecurityScheme>
>;

export interface Requirements {
  readonly 'x-required-scope'?: string;
  readonly 'x-required-permission'?: string;
  readonly 'x-required-token-scopes'?: readonly TokenScope[];
}

export function security({ auth }: Endpoint): OpenApiSecurity {
  switch (auth.kind) {
    case 'key': {
      const scopes = auth.scope ? [auth.scope] : [];
      return [{ secretKeyBasic: scopes }, { secretKeyHeader: scopes }];
    }
    case 'token':
      return auth.place === 'header' ? [{ clientToken: [] }] : [];
    case 'flow':
      return [{ flowToken: [] }];
    case 'control':
      return [{ controlToken: [] }];
    case 'open':
      return [];
  }
}

/** OpenAPI can't describe a credential in the path: such a call has no scheme, and a note instead. */
export const PATH_TOKEN_NOTE =
  'The client token in the path is the only credential: the link alone opens the file.';

export function isPathToken({ auth }: Endpoint): boolean {
  return auth.kind === 'token' && auth.place === 'path';
}

export function requirements({ auth }: Endpoint): Requirements {
  if (auth.kind === 'token') {
    return auth.may ? { 'x-required-token-scopes': TOKEN_SCOPES_THAT[auth.may] } : {};
  }
  if (auth.kind !== 'key') return {};
  return {
    ...(auth.scope && { 'x-required-scope': auth.scope }),
    ...(auth.permission && { 'x-required-permission': auth.permission }),
  };
}

export function securitySchemes(secretKeyHeader: string): SecuritySchemes {
  return {
    secretKeyBasic: {
      type: 'http',
      scheme: 'basic',
      'x-displayName': 'Secret API Key',
      description: 'User name: the secret API key. Password: empty.',
    },
    secretKeyHeader: {
      type: 'apiKey',
      in: 'header',
      name: secretKeyHeader,
      'x-displayName': 'Secret API Key',
      description: 'The secret API key, equal in effect to Basic.',
    },
    clientToken: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fp-authorization',
      'x-displayName': 'Client Token',
      description: 'A client token: short-lived, for some identifiers of one entity.',
    },
    flowToken: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fp-authorization',
      'x-displayName': 'Token of a Hosted Flow',
      description: "The token at the end of a hosted flow's link, which its page sends.",
    },
    controlToken: {
      type: 'http',
      scheme: 'bearer',
      'x-displayName': 'Control Token',
      description: 'The control token of the instance, for /_kyclone/ only.',
    },
  };
}
