/** Entry point of the bundled program: its exports for embedding programs and for the command. */

export { compare, fixtureProblems, startServer } from '../cli/server.ts'
export * from '../embedding/index.ts'
