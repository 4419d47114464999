/** Switches to another instance or environment. Nothing on the screen is taken along. Pure. */
import type { State, Step, Target } from './model.ts';
import { hidden, withNotice } from './reading.ts';

export function switching(state: State, target: Target): Step {
  // The result of an action that is under way belongs to the one it went to.
  if (state.busy !== undefined) return withNotice(state, 'warn', `Still running: ${state.busy}`);
  const name = target.instance ?? state.setup.instance;
  return {
    state: { ...hidden(state), notice: undefined, busy: `Going to ${name}, ${target.environment}` },
    effects: [{ type: 'switch', target }],
  };
}
