import { launch } from './launch.ts';

launch(process.argv.slice(2));
