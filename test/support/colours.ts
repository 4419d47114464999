/**
 * Imported before anything that draws: under NO_COLOR or CI nothing would be coloured, and no theme could be tested.
 */
import './own-process.ts';

delete process.env['NO_COLOR'];
process.env['FORCE_COLOR'] = '1';
