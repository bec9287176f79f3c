import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nomadOperatorTrials } from './nomad-operator-trials.ts'
import type { NomadWorkplace } from './nomad-trial.ts'
import { nomadTrials } from './nomad-trials.ts'
import { prepare, run } from './process.ts'
import { Absent, type Part, type Result, type Served } from './results.ts'

const command = 'nomad'

/** The scheduler's own command. `UNDERSTUDY_NOMAD` is its path. */
export const nomadPart: Part = { language: 'Nomad', clients: [command], run: runNomad }

async function runNomad(served: Served): Promise<readonly Result[]> {
  const { UNDERSTUDY_NOMAD: path } = process.env
  if (path === undefined) throw new Absent('UNDERSTUDY_NOMAD names no command')
  const { stdout } = await prepare(path, ['version'], { limit: 30_000 })
  const version = /Nomad v(\S+)/.exec(stdout)?.[1] ?? ''
  const workplace = workplaceOf(served, path)
  const results: Result[] = []
  // One after the other: each finds what those before it left.
  for (const [capability, trial] of Object.entries({ ...nomadTrials, ...nomadOperatorTrials })) {
    const result = { client: command, version, language: 'Nomad', capability }
    const told = await trial(workplace).then(
      () => ({ outcome: 'passed' }) as const,
      (error: unknown) => ({ outcome: 'failed', message: String(error) }) as const,
    )
    results.push({ ...result, ...told })
  }
  return results
}

function workplaceOf({ readyFile, folder }: Served, path: string): NomadWorkplace {
  const { services } = JSON.parse(readFileSync(readyFile, 'utf8'))
  const env = {
    NOMAD_ADDR: String(services.scheduler.url),
    NOMAD_TOKEN: String(services.scheduler.token ?? ''),
    NOMAD_CLI_NO_COLOR: '1',
  }
  return {
    write: (name, text) => writeFileSync(join(folder, name), text),
    async call(...argv) {
      const { code, stdout, stderr } = await run(path, argv, { cwd: folder, env, limit: 60_000 })
      return { code, text: stdout + stderr }
    },
  }
}
