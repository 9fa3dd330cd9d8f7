export { type AdministrationUseCases, createAdministrationFields } from './fields.ts';
export { administrationTypeDefs } from './type-defs.ts';
