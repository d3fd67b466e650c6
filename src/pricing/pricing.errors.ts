import { notFound } from '../common/problem';

export const priceNotFound = () => notFound('instance_type_price_not_found', 'No price of that instance type.');
