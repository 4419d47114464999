/** Beneficial owners: the users who own a business, and their shares (contract §10). */
import { Type } from '@sinclair/typebox';
import { endpoint, secretKey } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { named, Empty, OffsetPage, OffsetQuery, OptionalReason, ReasonBody } from '../../contract/shapes.ts';

export const Owner = named(
  'Owner',
  Type.Object({
    fp_id: Type.String({ [EXPECTS]: 'the id of a user (fp_id_ and 22 letters or digits)' }),
    ownership_stake: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'per cent, an integer from 0 to 100',
    }),
  }),
);

export const ownerEndpoints = [
  endpoint('GET /businesses/{fp_bid}/owners', {
    operationId: 'listBusinessOwners',
    auth: secretKey({ scope: 'preview:list_business_owners' }),
    stability: 'extension',
    query: Type.Object(OffsetQuery),
    response: OffsetPage(Owner),
    summary: 'The beneficial owners of a business, newest first',
  }),
  endpoint('POST /businesses/{fp_bid}/owners', {
    operationId: 'addBusinessOwner',
    isAct: true,
    auth: secretKey({ scope: 'preview:create_business_owner' }),
    stability: 'extension',
    body: named('LinkOwnerRequest', Type.Object({ ...Owner.properties, reason: OptionalReason })),
    response: Empty,
    summary: 'Link a user to a business as a beneficial owner',
  }),
  endpoint('DELETE /businesses/{fp_bid}/owners/{fp_id}', {
    operationId: 'removeBusinessOwner',
    isAct: true,
    auth: secretKey({ scope: 'preview:create_business_owner' }),
    stability: 'extension',
    body: ReasonBody,
    bodyOptional: true,
    response: Empty,
    assumed: [{ what: 'the scope of linking; 404 for a user who is no owner', why: 'A71' }],
    summary: 'Unlink an owner from a business; the user stays',
  }),
] as const;
