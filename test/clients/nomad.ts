import { readFileSync } from 'node:fs'
import { nomadOperatorTrials } from './nomad-operator-trials.ts'
import { nomadTrials } from './nomad-trials.ts'
import { prepare } from './process.ts'
import { type CapabilityResult, type ClientSuite, type TestServer, Unavailable } from './results.ts'
import { runTrials, sandboxFor } from './trials.ts'

const command = 'nomad'

/** Suite of the scheduler's own command, whose path is `UNDERSTUDY_NOMAD`. */
export const nomadSuite: ClientSuite = { language: 'Nomad', clients: [command], run: runNomad }

async function runNomad(served: TestServer): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_NOMAD: path } = process.env
  if (path === undefined) throw new Unavailable('UNDERSTUDY_NOMAD names no command')
  const { stdout } = await prepare(path, ['version'], { limit: 30_000 })
  const version = /Nomad v(\S+)/.exec(stdout)?.[1] ?? ''
  const { services } = JSON.parse(readFileSync(served.readyFile, 'utf8'))
  const sandbox = sandboxFor(served, path, {
    NOMAD_ADDR: String(services.scheduler.url),
    NOMAD_TOKEN: String(services.scheduler.token ?? ''),
    NOMAD_CLI_NO_COLOR: '1',
  })
  const client = { client: command, version, language: nomadSuite.language }
  return runTrials(client, { ...nomadTrials, ...nomadOperatorTrials }, sandbox)
}
