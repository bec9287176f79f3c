import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTrace } from '../../routes/trace/page.ts'
import { causes, findingsOf } from '../support/failing-suites/causes.ts'
import { failingSuite } from '../support/failing-suites/javascript.ts'
import {
  documentedIn,
  jestTests,
  nodeTests,
  programs,
  typedPrograms,
  vitestTests,
} from './samples.ts'
import type { CheckResult, PackageSandbox } from './sandbox.ts'

/** Check of one use of the package, run in its own directory. */
export interface PackageCheck {
  readonly name: string
  /** @param isQuick whether to skip most compilers */
  run(sandbox: PackageSandbox, isQuick: boolean): Promise<readonly CheckResult[]>
}

/** Highest number of installed packages without development dependencies, including this one. */
const maxPackages = 40

const versions = {
  jest: ['30', '29'],
  typescript: ['5.4', '5.6', '5.9', '7.0'],
  playwright: '1',
  tsJest: '29',
  vitest: '4.1',
  node: '20',
}

const installation: PackageCheck = {
  name: 'installed alone',
  async run(sandbox) {
    await sandbox.install()
    sandbox.write(programs)
    sandbox.write(nodeTests)
    const lock = JSON.parse(readFileSync(join(sandbox.folder, 'package-lock.json'), 'utf8'))
    const count = Object.keys(lock.packages).length - 1
    return [
      {
        what: `${count} packages`,
        failure: count < maxPackages ? undefined : `they should be fewer than ${maxPackages}`,
      },
      await sandbox.try('npx infra-understudy', ['npx', 'infra-understudy', '--version'], '.'),
      await sandbox.try('npx understudy', ['npx', 'understudy', '--version'], '.'),
      await sandbox.node('import', ['imports.mjs'], '200 { a: 1 }'),
      await sandbox.node('require', ['requires.cjs'], '200 { a: 1 }'),
      await sandbox.node('node:test', ['--test', '--test-reporter=tap'], '# pass 2'),
    ]
  },
}

const jest: PackageCheck = {
  name: 'Jest',
  async run(sandbox, isQuick) {
    const tried = isQuick ? versions.jest.slice(0, 1) : versions.jest
    await sandbox.install(...tried.map((version) => `jest-${version}@npm:jest@${version}`))
    sandbox.write(jestTests)
    const results: CheckResult[] = []
    for (const version of tried) {
      const command = `node_modules/jest-${version}/bin/jest.js`
      const what = `${version}: both kinds of modules, one server for all`
      const argv = ['--experimental-vm-modules', command, '-c', 'jest.config.json']
      results.push(await sandbox.node(what, argv, '5 passed, 5 total'))
    }
    // If these files were written earlier, the configuration above would also run this failing
    // suite.
    for (const version of tried) results.push(await failingSuiteIn(sandbox, version))
    return results
  },
}

/**
 * Runs a suite in Jest that fails on purpose, and checks that the traces show the causes
 * (behaviour/program#traces).
 */
async function failingSuiteIn(sandbox: PackageSandbox, version: string): Promise<CheckResult> {
  const what = `${version}: traces of failed tests show the causes`
  const folder = `failing-${version}`
  const documented = Object.entries(documentedIn('traces', 'app.test.cjs'))
  sandbox.write({
    ...Object.fromEntries(documented.map(([name, text]) => [`${folder}/${name}`, text])),
    [`${folder}/suite.mjs`]: failingSuite('jest', 'infra-understudy/jest'),
    [`${folder}/jest.config.json`]:
      '{"testMatch": ["**/suite.mjs", "**/app.test.cjs"], "transform": {}}',
  })
  const jest = `node --experimental-vm-modules ../node_modules/jest-${version}/bin/jest.js`
  const script = `cd ${folder} && UNDERSTUDY_TRACE=on-failure ${jest} -c jest.config.json || true`
  const titles = Object.keys(causes)
  const ran = await sandbox.try(
    what,
    ['sh', '-c', script],
    `${titles.length + documented.length} failed`,
  )
  if (ran.failure !== undefined) return ran
  const traces = join(sandbox.folder, folder, 'understudy-traces')
  const findings = readdirSync(traces).map((name) => {
    const trace = readTrace(readFileSync(join(traces, name), 'utf8'))
    return [trace.run.test?.title ?? '', findingsOf(trace)] as const
  })
  const unexplained = titles.filter(
    (title) => !findings.some(([own, text]) => own === title && causes[title]?.test(text)),
  )
  const isGuideExplained = findings.some(
    ([own, text]) => own === 'reads its password' && text.includes('/v1/secret/data/app` 404'),
  )
  if (unexplained.length === 0 && isGuideExplained) return { what }
  const shown = findings.map(([title, text]) => `${title}:\n${text}`).join('\n')
  return { what, failure: `no cause of ${unexplained.join(', ')} in:\n${shown.slice(0, 4000)}` }
}

const vitest: PackageCheck = {
  name: 'Vitest',
  async run(sandbox) {
    await sandbox.install(`vitest@${versions.vitest}`)
    sandbox.write(vitestTests)
    return [await sandbox.node('a test', ['node_modules/vitest/vitest.mjs', 'run'], '1 passed')]
  },
}

const typedJest: PackageCheck = {
  name: 'Jest in TypeScript, as CommonJS',
  async run(sandbox, isQuick) {
    if (isQuick) return []
    const [latest] = versions.jest
    await sandbox.install(
      `jest@${latest}`,
      `@types/jest@${latest}`,
      `@types/node@${versions.node}`,
      `ts-jest@${versions.tsJest}`,
      'typescript@5.9',
    )
    const compilerOptions = { module: 'commonjs', target: 'es2022', types: ['jest', 'node'] }
    sandbox.write({
      ...documentedIn('embedding', 'jest.config.js', 'app.test.ts'),
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, strict: true } }),
    })
    const jest = 'node_modules/jest/bin/jest.js'
    return [await sandbox.node('the guide, with ts-jest', [jest], '2 passed, 2 total')]
  },
}

const playwright: PackageCheck = {
  name: 'Playwright',
  async run(sandbox, isQuick) {
    if (isQuick) return []
    await sandbox.install(`@playwright/test@${versions.playwright}`)
    sandbox.write(documentedIn('embedding', 'playwright.config.ts', 'app.spec.ts'))
    const command = 'node_modules/@playwright/test/cli.js'
    return [await sandbox.node('the guide, without a browser', [command, 'test'], '1 passed')]
  },
}

const typescript: PackageCheck = {
  name: 'TypeScript',
  async run(sandbox, isQuick) {
    const [oldest = '', newest = ''] = [versions.typescript[0], versions.typescript.at(-1)]
    const compilers = isQuick ? [oldest, newest] : versions.typescript
    const resolutions = (version: string) =>
      isQuick ? [version === oldest ? 'node16' : 'bundler'] : ['node16', 'nodenext', 'bundler']
    await sandbox.install(
      ...compilers.map((version) => `typescript-${version}@npm:typescript@${version}`),
      `vitest@${versions.vitest}`,
      `@types/jest@${versions.jest[0]}`,
      `@types/node@${versions.node}`,
    )
    sandbox.write({ ...typedPrograms, 'package.json': '{"private": true, "type": "module"}' })
    const results: Promise<CheckResult>[] = []
    for (const version of compilers) {
      for (const resolution of resolutions(version)) {
        // Bundlers do not support CommonJS written in TypeScript.
        const files = Object.keys(typedPrograms).filter(
          (file) => resolution !== 'bundler' || file.endsWith('.ts'),
        )
        const module = resolution === 'bundler' ? 'esnext' : resolution
        const argv = [
          `node_modules/typescript-${version}/bin/tsc`,
          ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'],
          ...['--target', 'es2022', '--lib', 'es2022,dom', '--types', 'node,jest'],
          ...['--module', module, '--moduleResolution', resolution, ...files],
        ]
        results.push(sandbox.node(`${version} under ${resolution}`, argv))
      }
      // Only compilations by the same compiler version run in parallel.
      await Promise.all(results)
    }
    return Promise.all(results)
  },
}

const linters: PackageCheck = {
  name: 'linters of packages',
  async run(sandbox) {
    await sandbox.install('publint@0.3', '@arethetypeswrong/cli@0.18')
    const publint = ['node_modules/publint/src/cli.js', 'run', sandbox.tarball, '--strict']
    const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js'
    // Vitest supports only ES modules, so the entry point for it does as well. The schema is not
    // imported under CommonJS resolution.
    const rules = ['--ignore-rules', 'cjs-resolves-to-esm', '--exclude-entrypoints', 'schema.json']
    return [
      await sandbox.node('publint', publint, 'All good'),
      await sandbox.node('attw', [attw, sandbox.tarball, ...rules], 'No problems found'),
    ]
  },
}

export const packageChecks: readonly PackageCheck[] = [
  installation,
  jest,
  typedJest,
  vitest,
  playwright,
  typescript,
  linters,
]
