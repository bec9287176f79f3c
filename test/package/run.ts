import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Absent } from '../clients/results.ts'
import { type Part, parts } from './parts.ts'
import { pack, type Tried, Workplace } from './workplace.ts'

// Packs the built project, installs it as users do in empty folders, and tries what they would:
// `npm run test:package`, or with `-- --quick`, as CI does, without most compilers, typed Jest and
// Playwright. What the registry does not have here is skipped with one line.

const isQuick = process.argv.includes('--quick')
const folder = mkdtempSync(join(tmpdir(), 'understudy-package-'))

async function tryOut({ name, run }: Part, tarball: string): Promise<readonly Tried[]> {
  const begun = performance.now()
  try {
    const tried = await run(new Workplace(join(folder, name), tarball), isQuick)
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    for (const { what, mistake } of tried) {
      console.log(
        mistake === undefined ? `ok: ${name}: ${what}` : `FAILED: ${name}: ${what}: ${mistake}`,
      )
    }
    console.log(`${name}: ${seconds} s`)
    return tried
  } catch (error) {
    if (!(error instanceof Absent)) throw error
    console.log(`${name}: skipped, ${error.message}`)
    return []
  }
}

try {
  const tarball = await pack(folder)
  const tried: Tried[] = []
  for (const part of parts) tried.push(...(await tryOut(part, tarball)))
  if (isQuick) console.log('quick: npm run test:package tries further compilers and runners')
  if (tried.some(({ mistake }) => mistake !== undefined)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
