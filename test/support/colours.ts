/**
 * Import this file before any file that draws. Under NO_COLOR or CI nothing has colours, so themes could not be tested.
 */
import './own-process.ts';

delete process.env['NO_COLOR'];
process.env['FORCE_COLOR'] = '1';
