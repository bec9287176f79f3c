import { readFileSync } from 'node:fs'
import { consulTrials } from './consul-trials.ts'
import { prepare } from './process.ts'
import { Absent, type Part, type Result, type Served } from './results.ts'
import { triedBy, workplaceOf } from './trials.ts'

const command = 'consul'

/**
 * The mesh's own command. `UNDERSTUDY_CONSUL` is its path. A community build has no commands for
 * namespaces, so none are tried.
 */
export const consulPart: Part = { language: 'Consul', clients: [command], run: runConsul }

async function runConsul(served: Served): Promise<readonly Result[]> {
  const { UNDERSTUDY_CONSUL: path } = process.env
  if (path === undefined) throw new Absent('UNDERSTUDY_CONSUL names no command')
  const { stdout } = await prepare(path, ['version'], { limit: 30_000 })
  const version = /Consul v(\S+)/.exec(stdout)?.[1] ?? ''
  const { services } = JSON.parse(readFileSync(served.readyFile, 'utf8'))
  const workplace = workplaceOf(served, path, {
    CONSUL_HTTP_ADDR: String(services.mesh.url),
    CONSUL_HTTP_TOKEN: String(services.mesh.token ?? ''),
  })
  const about = { client: command, version, language: consulPart.language }
  return triedBy(about, consulTrials, workplace)
}
