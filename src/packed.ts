/** The whole program as it is built into one file: what embedding programs and the command use of it. */
export * from './index.ts'
export { fixtureProblems, startServer } from './server.ts'
