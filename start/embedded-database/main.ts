import { runService } from '../../platform/index.ts';
import { runEmbeddedDatabase } from './database.ts';

const [dataDir = ''] = process.argv.slice(2);

runService('embedded-database', () => runEmbeddedDatabase(dataDir));
