import { oktaConfigTable, oktaGroupTable, oktaUserTable } from './okta.ts'

/** The tables of the login method okta (behaviour/secrets#okta). */
export const oktaTables = [oktaConfigTable, oktaGroupTable, oktaUserTable] as const
