/** The whole program as it is built into one file: what embedding programs and the command use of it. */

export { compare, fixtureProblems, startServer } from '../cli/server.ts'
export * from '../embedding/index.ts'
