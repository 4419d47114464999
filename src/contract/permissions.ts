import { Type } from '@sinclair/typebox';
import { PERMISSIONS, SCOPES } from './facts/permissions.ts';
import { named } from './named.ts';
import { EXPECTS } from './expectation.ts';

export const ScopeName = named('Scope', Type.Union(SCOPES.map((scope) => Type.Literal(scope))));
export const PermissionName = named(
  'Permission',
  Type.Union([
    ...PERMISSIONS.map((permission) => Type.Literal(permission)),
    Type.String({
      pattern: '^decrypt:(?:\\*|[A-Za-z0-9_\\-][A-Za-z0-9_.\\-]{0,253}(?:\\.\\*)?)$',
      [EXPECTS]: 'decrypt: followed by a data identifier, a family such as card.*, or *',
    }),
  ]),
);
