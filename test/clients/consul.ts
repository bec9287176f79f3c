import { readFileSync } from 'node:fs'
import { consulTrials } from './consul-trials.ts'
import { prepare } from './process.ts'
import { type CapabilityResult, type ClientSuite, type TestServer, Unavailable } from './results.ts'
import { runTrials, sandboxFor } from './trials.ts'

const command = 'consul'

/**
 * Suite of the mesh's own command, whose path is `UNDERSTUDY_CONSUL`. Community builds lack
 * commands for namespaces, so the suite does not test them.
 */
export const consulSuite: ClientSuite = { language: 'Consul', clients: [command], run: runConsul }

async function runConsul(served: TestServer): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_CONSUL: path } = process.env
  if (path === undefined) throw new Unavailable('UNDERSTUDY_CONSUL names no command')
  const { stdout } = await prepare(path, ['version'], { limit: 30_000 })
  const version = /Consul v(\S+)/.exec(stdout)?.[1] ?? ''
  const { services } = JSON.parse(readFileSync(served.readyFile, 'utf8'))
  const sandbox = sandboxFor(served, path, {
    CONSUL_HTTP_ADDR: String(services.mesh.url),
    CONSUL_HTTP_TOKEN: String(services.mesh.token ?? ''),
  })
  const client = { client: command, version, language: consulSuite.language }
  return runTrials(client, consulTrials, sandbox)
}
