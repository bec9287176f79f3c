// Runs the tests with several releases of Node: npm run test:nodes [-- FILES AND OPTIONS OF VITEST].
// The releases come from npm's package `node`, into a temporary folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const releases = [20, 22, 24, 26]
const folder = mkdtempSync(join(tmpdir(), 'understudy-nodes-'))
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
let failed = false

/** Installs a release and returns the folder of its program; undefined if npm does not offer it. */
function install(release) {
  const prefix = join(folder, String(release))
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', prefix]
  spawnSync('npm', [...args, `node@${release}`], { stdio: ['ignore', 'ignore', 'inherit'] })
  const bin = join(prefix, 'node_modules/node/bin')
  return existsSync(join(bin, 'node')) ? bin : undefined
}

try {
  for (const release of releases) {
    const bin = install(release)
    if (bin === undefined) {
      console.log(`Node ${release}: skipped, npm does not offer it here`)
      continue
    }
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
    const args = [vitest, 'run', ...process.argv.slice(2)]
    const { status } = spawnSync(join(bin, 'node'), args, { stdio: 'inherit', env })
    console.log(`Node ${release}: ${status === 0 ? 'passed' : 'failed'}`)
    failed ||= status !== 0
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
