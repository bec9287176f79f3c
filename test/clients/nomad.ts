import { readFileSync } from 'node:fs'
import { nomadOperatorTrials } from './nomad-operator-trials.ts'
import { nomadTrials } from './nomad-trials.ts'
import { prepare } from './process.ts'
import { Absent, type Part, type Result, type Served } from './results.ts'
import { triedBy, workplaceOf } from './trials.ts'

const command = 'nomad'

/** The scheduler's own command. `UNDERSTUDY_NOMAD` is its path. */
export const nomadPart: Part = { language: 'Nomad', clients: [command], run: runNomad }

async function runNomad(served: Served): Promise<readonly Result[]> {
  const { UNDERSTUDY_NOMAD: path } = process.env
  if (path === undefined) throw new Absent('UNDERSTUDY_NOMAD names no command')
  const { stdout } = await prepare(path, ['version'], { limit: 30_000 })
  const version = /Nomad v(\S+)/.exec(stdout)?.[1] ?? ''
  const { services } = JSON.parse(readFileSync(served.readyFile, 'utf8'))
  const workplace = workplaceOf(served, path, {
    NOMAD_ADDR: String(services.scheduler.url),
    NOMAD_TOKEN: String(services.scheduler.token ?? ''),
    NOMAD_CLI_NO_COLOR: '1',
  })
  const about = { client: command, version, language: nomadPart.language }
  return triedBy(about, { ...nomadTrials, ...nomadOperatorTrials }, workplace)
}
