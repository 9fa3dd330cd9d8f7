export { checkDeliveries, type Deliveries, type DeliveriesOptions, openDeliveries } from './deliveries.ts';
