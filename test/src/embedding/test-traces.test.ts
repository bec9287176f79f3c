import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTrace } from '../../../routes/trace/page.ts'
import type { Trace } from '../../../routes/trace/trace.ts'
import { describeError, traceName } from '../../../src/embedding/test-trace.ts'
import { writeNewTrace } from '../../../src/trace-file.ts'
import { traceConditionOf } from '../../../src/trace-setting.ts'
import { builtModule } from '../../support/command.ts'

const vitestCommand = fileURLToPath(
  new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url),
)

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'understudy-traced-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs Node in a folder and returns its output, with the traces by name. */
async function runIn(folder: string, argv: readonly string[], variables = {}) {
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    env: { PATH: process.env['PATH'], NO_COLOR: '1', ...variables },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr, traces: tracesIn(folder) }
}

function tracesIn(folder: string): Readonly<Record<string, Trace>> {
  const traces = join(folder, 'understudy-traces')
  let names: readonly string[] = []
  try {
    names = readdirSync(traces).sort()
  } catch {
    // No test has written a trace.
  }
  return Object.fromEntries(
    names.map((name) => [name, readTrace(readFileSync(join(traces, name), 'utf8'))]),
  )
}

/** Returns the marks and the requests of a trace's only world. */
function timelineOf(trace: Trace | undefined): readonly string[] {
  const [world] = trace?.worlds ?? []
  return (world?.steps ?? []).flatMap((step) => {
    if (step.kind === 'mark') return [step.text]
    return step.kind === 'request' ? [`${step.entry.method} ${step.entry.path}`] : []
  })
}

const miss = `(world) => fetch(world.url + '/v1/nothing/here', { headers: { 'x-vault-token': 'root' } })`

describe('behaviour/program#traces: traces of tests with node:test', () => {
  const sample = `
    import { test } from ${builtModule('node')}
    const miss = ${miss}
    const traced = test.extend({ trace: 'on-failure', dump: 'never', verify: { unmatched: 'ignore' } })
    traced('passes', async ({ world }) => void (await miss(world)))
    traced('fails', async ({ world }) => { await miss(world); throw new Error('by itself') })
    traced('hangs', { timeout: 700 }, async ({ world }) => {
      world.faults.add({ action: { hang: true } })
      await miss(world)
    })
  `

  test('a failed test writes its trace, with requests that are still open', {
    timeout: 60_000,
  }, async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'sample.test.mjs'), sample)
    const { code, stderr, traces } = await runIn(folder, ['sample.test.mjs'])
    expect(code).toBe(1)
    const [failed = '', hung = '', ...others] = Object.keys(traces)
    expect(failed).toMatch(/^sample\.test\.mjs-fails-[\da-f]{8}\.html$/)
    expect(hung).toMatch(/^sample\.test\.mjs-hangs-[\da-f]{8}\.html$/)
    expect(others).toEqual([])
    expect(stderr).toContain(
      `understudy: trace of "fails":\n${join(folder, 'understudy-traces', failed)}\n`,
    )
    const { run, worlds } = traces[failed] ?? {}
    expect(run?.test).toEqual({
      file: 'sample.test.mjs',
      title: 'fails',
      result: 'failed',
      error: { text: 'by itself', at: expect.stringMatching(/^sample\.test\.mjs:6:\d+$/) },
    })
    expect(Object.keys(run?.addresses ?? {})).toContain('VAULT_ADDR')
    expect(worlds).toHaveLength(1)
    expect(timelineOf(traces[failed])).toEqual([
      'test started: fails',
      'GET /v1/nothing/here',
      'test failed: fails',
    ])
    expect(traces[hung]?.worlds[0]?.open).toEqual([
      expect.objectContaining({ method: 'GET', path: '/v1/nothing/here' }),
    ])
  })
})

describe('behaviour/program#traces: traces of tests with Jest', () => {
  test('a failed test writes its trace; the variable wins', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder()
    const program = `
      const tests = []
      const [after, ends] = [[], []]
      globalThis.test = Object.assign((name, work) => tests.push({ name, work }), {})
      globalThis.afterAll = (end) => ends.push(end)
      globalThis.afterEach = (end) => after.push(end)
      let state = {}
      globalThis.expect = { extend() {}, getState: () => state }
      const { test: worldTest } = await import(${builtModule('jest')})
      const miss = ${miss}
      const traced = worldTest.extend({ dump: 'never', verify: { unmatched: 'ignore' } })
      traced('fails', async ({ world }) => { await miss(world); throw 'a text' })
      traced('passes', () => {})
      traced('hangs', () => new Promise(() => {}))
      for (const { name, work } of [...tests.slice(0, 2), ...tests]) {
        state = { currentTestName: 'group ' + name, testPath: process.cwd() + '/a.test.js' }
        const time = new Promise((resolve) => setTimeout(resolve, name === 'hangs' ? 500 : 60_000).unref())
        await Promise.race([work().catch(() => {}), time])
        for (const end of after) await end()
      }
      for (const end of ends) await end()
    `
    writeFileSync(join(folder, 'sample.mjs'), program)
    const variables = { UNDERSTUDY_TRACE: 'always' }
    const { code, stderr, traces } = await runIn(folder, ['sample.mjs'], variables)
    expect([code, stderr.match(/trace of/g)?.length]).toEqual([0, 5])
    const names = Object.keys(traces).map((name) => name.replace(/-[\da-f]{8}/, ''))
    expect(names).toEqual([
      'a.test.js-group-fails-retry1.html',
      'a.test.js-group-fails.html',
      'a.test.js-group-hangs.html',
      'a.test.js-group-passes-retry1.html',
      'a.test.js-group-passes.html',
    ])
    const results = Object.values(traces).map(({ run }) => [
      run.test?.result,
      run.test?.error?.text,
    ])
    expect(results).toEqual([
      ['failed', 'a text'],
      ['failed', 'a text'],
      ['failed', 'the test did not end in time'],
      ['passed', undefined],
      ['passed', undefined],
    ])
  })
})

describe('behaviour/program#traces: traces of tests with Vitest', () => {
  const sample = `
    import { describe } from ${JSON.stringify(import.meta.resolve('vitest'))}
    import { test } from ${builtModule('vitest')}
    const miss = ${miss}
    const traced = test.extend({ trace: 'on-failure', dump: 'never', verify: { unmatched: 'ignore' } })
    describe('group', () => {
      traced('passes', async ({ world }) => void (await miss(world)))
      traced('fails', { retry: 1 }, async ({ world, expect }) => {
        expect((await miss(world)).status).toBe(200)
      })
      traced('hangs', { timeout: 700 }, async ({ world }) => {
        world.faults.add({ action: { hang: true } })
        await miss(world)
      })
    })
  `

  test('a failed test writes a trace for each attempt', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'sample.test.ts'), sample)
    const { code, traces } = await runIn(folder, [vitestCommand, 'run', '--root', folder])
    expect(code).toBe(1)
    const names = Object.keys(traces)
    expect(names.map((name) => name.replace(/-[\da-f]{8}/, ''))).toEqual([
      'sample.test.ts-group-fails-retry1.html',
      'sample.test.ts-group-fails.html',
      'sample.test.ts-group-hangs.html',
    ])
    const [retry, first, hung] = Object.values(traces)
    expect(first?.run.test).toEqual({
      file: 'sample.test.ts',
      title: 'group > fails',
      result: 'failed',
      error: {
        text: expect.stringContaining('expected 404 to be 200'),
        at: expect.stringMatching(/^sample\.test\.ts:9:\d+$/),
      },
    })
    expect(timelineOf(retry)).toEqual([
      'test started: group > fails',
      'GET /v1/nothing/here',
      'test failed: group > fails',
    ])
    expect(hung?.worlds[0]?.open).toHaveLength(1)
  })

  test('an unknown word of the variable: no test starts', { timeout: 120_000 }, async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'sample.test.ts'), sample)
    const argv = [vitestCommand, 'run', '--root', folder]
    const { code, stdout, stderr } = await runIn(folder, argv, { UNDERSTUDY_TRACE: 'sometimes' })
    expect(code).toBe(1)
    expect(stdout + stderr).toContain(
      'UNDERSTUDY_TRACE must be one of on-failure, always, never for tests, not "sometimes"',
    )
    expect(stdout).toContain('no tests')
  })
})

describe('behaviour/program#traces: the condition of tests', () => {
  test('the variable wins over the code; an unknown word is refused in one sentence', () => {
    expect(traceConditionOf(undefined, {})).toBe('never')
    expect(traceConditionOf('always', { UNDERSTUDY_TRACE: '' })).toBe('always')
    expect(traceConditionOf('always', { UNDERSTUDY_TRACE: 'never' })).toBe('never')
    expect(() => traceConditionOf('often', {})).toThrow(
      'the setting trace must be one of on-failure, always, never for tests, not "often"',
    )
  })
})

describe('behaviour/program#traces: names of traces', () => {
  test('consist of harmless characters, a digest of the title and the retry', () => {
    const name = traceName({ file: 'a/b.test.ts', title: 'group > ünï/.. "x"', retry: 2 })
    expect(name).toMatch(/^a-b\.test\.ts-group-n-\.\.-x-[\da-f]{8}-retry2$/)
    const long = traceName({ file: 'a.test.ts', title: 'é'.repeat(50) + 'x'.repeat(500) })
    expect(long).toMatch(/^[A-Za-z0-9._-]{120}-[\da-f]{8}$/)
    expect(traceName({ file: '', title: '💥' })).toMatch(/^test-[\da-f]{8}$/)
    const titles = ['a b', 'a-b'].map((title) => traceName({ file: 'f', title }))
    expect(new Set(titles).size).toBe(2)
  })

  test('get a number if the name is taken', async () => {
    const folder = join(temporaryFolder(), 'traces')
    const paths = await Promise.all(['a', 'b', 'c'].map((page) => writeNewTrace(folder, 't', page)))
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c'])
    expect(readdirSync(folder).sort()).toEqual(['t-2.html', 't-3.html', 't.html'])
  })

  test('a folder that cannot be written is named', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    await expect(writeNewTrace(file, 't', 'page')).rejects.toThrow(
      /^cannot write the trace .*file\/t\.html \(EEXIST: /,
    )
  })
})

describe('behaviour/program#traces: errors of tests', () => {
  test('have a text with causes, without colors, and a place outside of installed packages', () => {
    const stack = [
      'Error: no',
      '    at check (/x/node_modules/lib/index.js:1:1)',
      `    at Object.run (file://${process.cwd()}/test/a.test.ts:3:9)`,
    ].join('\n')
    expect(describeError({ message: '\u001b[31mno\u001b[39m', stack })).toEqual({
      text: 'no',
      at: 'test/a.test.ts:3:9',
    })
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    const failed = {
      message: 'fetch failed',
      cause: { message: 'no answer', cause },
      stack: 'at node:internal/deps/undici/undici:1:1\n at async file:///app/a.test.mjs:3:9',
    }
    expect(describeError(failed)).toEqual({
      text: 'fetch failed: no answer: ECONNREFUSED',
      at: expect.stringMatching(/app\/a\.test\.mjs:3:9$/),
    })
    expect(describeError('text')).toEqual({ text: 'text' })
    expect(describeError(undefined)).toEqual({ text: 'undefined' })
  })
})
