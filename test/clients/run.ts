import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goPart } from './go.ts'
import { npmPart } from './npm.ts'
import { pythonPart } from './python.ts'
import { Absent, inProject, type Part, type Result, type Served, writeResults } from './results.ts'

// Tries the products' own clients against the built server in the vendor's dialect, writes
// results.json beside this file, and fails when a capability failed. What a machine has no toolchain
// or network for is skipped with one line.

/** Starts the server, waits until it is ready, and ends it after `work`. */
async function withServer<T>(work: (served: Served) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-clients-'))
  const readyFile = join(folder, 'ready.json')
  const ports = ['', 'secrets-', 'platform-', 'mesh-', 'scheduler-'].map(
    (name) => `--${name}port=0`,
  )
  const flags = ['--dialect=vendor', '--acl', '--log-level=error', `--ready-file=${readyFile}`]
  const server = spawn(process.execPath, [inProject('dist/src/cli.js'), ...ports, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    // The ready line; a server that cannot start ends its output instead.
    await Promise.race([once(server.stdout, 'data'), once(server, 'exit').then(neverReady)])
    return await work({ readyFile, folder })
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

function neverReady(): never {
  throw new Error('the server did not start; `npm run build` makes it')
}

/** The results of a part, or that it is skipped. */
async function tryOut(part: Part, served: Served): Promise<readonly Result[]> {
  try {
    const results = await part.run(served)
    for (const { client, capability, outcome, message = '' } of results) {
      if (outcome !== 'passed') console.log(`${outcome}: ${client}, ${capability}: ${message}`)
    }
    const passed = results.filter(({ outcome }) => outcome === 'passed').length
    console.log(`${part.language}: ${passed} of ${results.length} capabilities passed`)
    return results
  } catch (error) {
    if (!(error instanceof Absent)) throw error
    console.log(`${part.language}: skipped, ${error.message}`)
    return part.clients.map((client) => ({
      client,
      version: '',
      language: part.language,
      capability: '*',
      outcome: 'skipped',
      message: error.message,
    }))
  }
}

const parts = [npmPart, goPart, pythonPart]
const results = await withServer((served) =>
  Promise.all(parts.map((part) => tryOut(part, served))),
).then((ofParts) => ofParts.flat())
writeResults(results)
if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
