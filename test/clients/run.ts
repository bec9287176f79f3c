import { consulPart } from './consul.ts'
import { goPart } from './go.ts'
import { nomadPart } from './nomad.ts'
import { npmPart } from './npm.ts'
import { pythonPart } from './python.ts'
import { Absent, type Part, type Result, type Served, writeResults } from './results.ts'
import { withServer } from './server.ts'
import { terraformPart } from './terraform.ts'

// Tries the products' own clients against the built server in the vendor's dialect, writes
// results.json beside this file, and fails when a capability failed. What a machine has no toolchain
// or network for is skipped with one line.

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

const parts = [npmPart, goPart, pythonPart, terraformPart, nomadPart, consulPart]
const ports = ['', 'secrets-', 'platform-', 'mesh-', 'scheduler-'].map((name) => `--${name}port=0`)
const results = await withServer(
  () => [...ports, '--acl'],
  (served) => Promise.all(parts.map((part) => tryOut(part, served))),
).then((ofParts) => ofParts.flat())
writeResults(results)
if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
