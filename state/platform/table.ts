import { tablesFor } from '../kernel/store/table.ts'

/** Declares a table of the platform by its name, the shape of its rows and its other members. */
export const platformTable = tablesFor('platform')
