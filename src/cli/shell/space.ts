/** Whose data a control call is about (contract §11): tenant `default` and its sandbox unless said otherwise. */
import { boolean, string } from '@oclif/core/flags';

export const spaceFlags = {
  tenant: string({ summary: 'whose they are (default: "default")', helpValue: 'NAME' }),
  live: boolean({ summary: 'those of the live environment instead of the sandbox', helpGroup: 'GLOBAL' }),
};

/** Which tenant and environment a control call is about. */
export interface SpaceQuery {
  readonly tenant: string | undefined;
  readonly environment: 'live' | undefined;
}

export function spaceQuery({ tenant, live }: { tenant?: string | undefined; live: boolean }): SpaceQuery {
  return { tenant, environment: live ? 'live' : undefined };
}
