import { notFound } from '../../1-platform/common/answers/problem';

export const priceNotFound = () => notFound('instance_type_price_not_found', 'No price of that instance type.');
