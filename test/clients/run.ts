import { consulSuite } from './consul.ts'
import { consulTemplateSuite } from './consul-template.ts'
import { goSuite } from './go.ts'
import { hvacSuite } from './hvac-suite.ts'
import { javaSuite } from './java.ts'
import { nomadSuite } from './nomad.ts'
import { npmSuite } from './npm.ts'
import { pythonSuite } from './python.ts'
import {
  type CapabilityResult,
  type ClientSuite,
  type TestServer,
  Unavailable,
  writeResults,
} from './results.ts'
import { withServer } from './server.ts'
import { terraformSuite } from './terraform.ts'
import { vaultActionSuite } from './vault-action.ts'

// Tests the products' own clients against the built server in the vendor dialect, writes
// results.json in this directory, and fails if any capability failed. Suites without their
// toolchain or network are skipped with one line.

/** Returns the results of a suite, or one result that says why it was skipped. */
async function runSuite(
  suite: ClientSuite,
  served: TestServer,
): Promise<readonly CapabilityResult[]> {
  try {
    const results = await suite.run(served)
    for (const { client, capability, outcome, message = '' } of results) {
      if (outcome !== 'passed') console.log(`${outcome}: ${client}, ${capability}: ${message}`)
    }
    const passed = results.filter(({ outcome }) => outcome === 'passed').length
    console.log(`${suite.language}: ${passed} of ${results.length} capabilities passed`)
    return results
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    console.log(`${suite.language}: skipped, ${error.message}`)
    return suite.clients.map((client) => ({
      client,
      version: '',
      language: suite.language,
      capability: '*',
      outcome: 'skipped',
      message: error.message,
    }))
  }
}

const suites = [
  ...[npmSuite, goSuite, pythonSuite, javaSuite, hvacSuite, vaultActionSuite],
  ...[terraformSuite, nomadSuite, consulSuite, consulTemplateSuite],
]
const ports = ['', 'secrets-', 'platform-', 'mesh-', 'scheduler-'].map((name) => `--${name}port=0`)
const results = await withServer(
  () => [...ports, '--acl'],
  (served) => Promise.all(suites.map((suite) => runSuite(suite, served))),
).then((resultsBySuite) => resultsBySuite.flat())
writeResults(results)
if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
