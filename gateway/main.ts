import { serve } from './process/index.ts';

serve(process.env);
