import { tablesFor } from '../kernel/store/table.ts'

/** Declares a table of the platform: name, shape of a row, then secrets and indexes. */
export const platformTable = tablesFor('platform')
