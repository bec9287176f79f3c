import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Unavailable } from '../clients/results.ts'
import { type PackageCheck, packageChecks } from './checks.ts'
import { type CheckResult, PackageSandbox, pack } from './sandbox.ts'

// Packs the built project, installs the package in empty directories as users do, and checks its
// common uses: `npm run test:package`, or with `-- --quick`, as CI does, without most compilers, the older Jest,
// typed Jest and Playwright. Checks whose packages the registry lacks are skipped with one line.

const isQuick = process.argv.includes('--quick')
const folder = mkdtempSync(join(tmpdir(), 'understudy-package-'))

async function runCheck(
  { name, run }: PackageCheck,
  tarball: string,
): Promise<readonly CheckResult[]> {
  const startedAt = performance.now()
  try {
    const results = await run(new PackageSandbox(join(folder, name), tarball), isQuick)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    for (const { what, failure } of results) {
      console.log(
        failure === undefined ? `ok: ${name}: ${what}` : `FAILED: ${name}: ${what}: ${failure}`,
      )
    }
    console.log(`${name}: ${seconds} s`)
    return results
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    console.log(`${name}: skipped, ${error.message}`)
    return []
  }
}

try {
  const tarball = await pack(folder)
  const results: CheckResult[] = []
  for (const check of packageChecks) results.push(...(await runCheck(check, tarball)))
  if (isQuick) console.log('quick: npm run test:package tries further compilers and runners')
  if (results.some(({ failure }) => failure !== undefined)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
