import { tablesFor } from '../kernel/store/table.ts'

export const secretsTable = tablesFor('secrets')
