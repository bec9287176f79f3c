import { tablesFor } from '../kernel/store/table.ts'

/**
 * Declares a table of the platform. The parameters are the name, the shape of a row, and an object
 * with the secrets and indexes.
 */
export const platformTable = tablesFor('platform')
