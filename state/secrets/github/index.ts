import { githubConfigTable, githubTeamTable, githubUserTable } from './github.ts'

/** The tables of the login method github (behaviour/secrets#github). */
export const githubTables = [githubConfigTable, githubTeamTable, githubUserTable] as const
