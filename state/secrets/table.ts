import { tablesFor } from '../kernel/store/table.ts'

/** Declares a table of the secrets service by its name, the shape of its rows and its secrets. */
export const secretsTable = tablesFor('secrets')
