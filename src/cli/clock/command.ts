import { BaseCommand } from '../shell/base-command.ts';
import { clockState, moveClock, type Move, type Moved } from './moves.ts';
import { movedView } from './view.ts';

/** A command that moves the clock. */
export abstract class ClockCommand extends BaseCommand<Moved> {
  /** Prints the API's answer where data is asked for, else also how the clock stands then. */
  protected async move(move: Move): Promise<Moved> {
    const moved = await moveClock(this.client, move);
    const state = this.isForPeople ? await clockState(this.client) : undefined;
    return this.present(moved, (_, style) => (state ? movedView(moved, state, style) : ''));
  }
}
