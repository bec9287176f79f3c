import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Result of a test of one client's capability. */
export interface CapabilityResult {
  readonly client: string
  readonly version: string
  readonly language: string
  /** Short description; `*` means all capabilities, if the toolchain or package is missing. */
  readonly capability: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Reason for a failure or skip. */
  readonly message?: string
}

/** Running server that the suites test against, with its ready file. */
export interface TestServer {
  readonly readyFile: string
  /** Directory for the files of a suite, deleted with the server. */
  readonly folder: string
}

/** Suite of the clients of one toolchain. */
export interface ClientSuite {
  readonly language: string
  readonly clients: readonly string[]
  /** Tests all clients. Throws `Unavailable` if the toolchain or a package is missing. */
  run(served: TestServer): Promise<readonly CapabilityResult[]>
}

/** Thrown if a suite cannot run on this machine; the message says why. */
export class Unavailable extends Error {}

/** Returns the absolute path of a project file. */
export const projectPath = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Shell command that starts the built server, as docs/recipes/ does. */
export const command = `${process.execPath} ${projectPath('dist/src/cli.js')}`

/** Returns the URL of the combined listener, which the recipes accept for a running server. */
export function urlOf({ readyFile }: TestServer): string {
  const { ports } = JSON.parse(readFileSync(readyFile, 'utf8'))
  return `http://127.0.0.1:${ports.control}`
}

/** Writes `test/clients/results.json`, from which the compatibility page is generated. */
export function writeResults(results: readonly CapabilityResult[]): void {
  const sorted = [...results].sort(
    (a, b) => compare(a.client, b.client) || compare(a.capability, b.capability),
  )
  writeFileSync(projectPath('test/clients/results.json'), `${JSON.stringify(sorted, null, 2)}\n`)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
