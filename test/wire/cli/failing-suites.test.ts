import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readTrace } from '../../../routes/trace/page.ts'
import type { Trace } from '../../../routes/trace/trace.ts'
import {
  isInstalled,
  runCommands,
  sandboxWith,
} from '../../support/documentation/documented-commands.ts'
import { causes, findingsOf, traceOfWorld } from '../../support/failing-suites/causes.ts'
import { failingSuite } from '../../support/failing-suites/javascript.ts'
import { readDocument } from '../../support/files.ts'

/** Returns the traces in a file or a folder, by the title of the test. */
function tracesOfTests(folder: string): ReadonlyMap<string, Trace> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.html'))
  const traces = names.map((name) => readTrace(readFileSync(join(folder, name), 'utf8')))
  return new Map(traces.map((trace) => [wordsOf(trace.run.test?.title ?? ''), trace]))
}

/** Returns the title of a test in words: `wrong cas` for `test_wrong_cas` and `TestWrongCas`. */
function wordsOf(title: string): string {
  return title
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replace(/^(?:.*> )?(?:test )?/, '')
}

function expectCauses(traces: ReadonlyMap<string, Trace>): void {
  expect([...traces.keys()].sort()).toEqual(Object.keys(causes).sort())
  for (const [title, trace] of traces) expect(findingsOf(trace), title).toMatch(causes[title] ?? '')
}

const suite = (name: string) => readDocument(`test/support/failing-suites/${name}`)

describe('behaviour/program#traces: a trace is enough to see why a test has failed', () => {
  const sampleFolder = mkdtempSync(join(tmpdir(), 'understudy-failing-'))
  afterAll(() => rmSync(sampleFolder, { recursive: true }))

  test.each([
    ['vitest', 'vitest run'],
    ['node', 'node --test'],
  ] as const)('with the fixtures for %s', { timeout: 120_000 }, async (runner, command) => {
    const text = failingSuite(runner, `infra-understudy/${runner}`)
    using sandbox = sandboxWith([['app.test.mjs', text]])
    const output = await runCommands(
      sandbox.folder,
      `UNDERSTUDY_TRACE=on-failure ${command} 2>&1 || true`,
    )
    const traces = tracesOfTests(join(sandbox.folder, 'understudy-traces'))
    expectCauses(traces)
    for (const { run } of traces.values()) {
      expect(run.test).toMatchObject({ file: 'app.test.mjs', result: 'failed' })
      expect(output).toContain(`trace of "${run.test?.title.replace(/.* > /, '')}`)
    }
    expect(traces.get('nothing arrived')?.run.test?.error?.text).toContain('127.0.0.1:2')
    expect(traces.get('denied path')?.run.test?.error).toEqual({
      text: 'the program ended with status 403',
      at: expect.stringMatching(/^app\.test\.mjs:\d+:\d+$/),
    })
  })

  test.skipIf(!isInstalled('pytest'))(
    'with the recipe for pytest',
    { timeout: 120_000 },
    async () => {
      using sandbox = sandboxWith([
        ['conftest.py', readDocument('docs/recipes/conftest.py')],
        ['tests/test_failing.py', suite('test_failing.py')],
      ])
      const pytest = 'INFRA_UNDERSTUDY_COMMAND=infra-understudy python3 -m pytest -q'
      await runCommands(sandbox.folder, `UNDERSTUDY_TRACE=on-failure ${pytest} || true`)
      const folder = join(sandbox.folder, 'understudy-traces')
      const traces = tracesOfTests(folder)
      expectCauses(traces)
      const { run, worlds } = traces.get('job that never runs') ?? {}
      expect(run).toMatchObject({
        command: ['pytest', '-q'],
        test: {
          file: 'tests/test_failing.py',
          title: 'test_job_that_never_runs',
          result: 'failed',
          error: {
            text: expect.stringContaining('the job does not run'),
            at: expect.stringMatching(/^tests\/test_failing\.py:\d+$/),
          },
        },
      })
      expect(worlds?.[0]?.steps.filter(({ kind }) => kind === 'mark')).toMatchObject([
        { text: 'test started: test_job_that_never_runs' },
        { text: 'test failed: test_job_that_never_runs' },
      ])
      expect(readdirSync(folder)).toContainEqual(
        expect.stringMatching(/^tests-test_failing\.py-test_wrong_cas-[\da-f]{8}\.html$/),
      )
      const refused = await runCommands(
        sandbox.folder,
        `UNDERSTUDY_TRACE=sometimes ${pytest} 2>&1 || echo "code $?"`,
      )
      expect(refused).toBe(
        'ERROR: UNDERSTUDY_TRACE must be one of on-failure, always, never for tests, not "sometimes"\n\ncode 4\n',
      )
    },
  )

  test.skipIf(!isInstalled('go version'))(
    'with the recipe for Go',
    { timeout: 170_000 },
    async () => {
      using sandbox = sandboxWith([
        ['go.mod', 'module recipe\n\ngo 1.21\n'],
        ['understudy_test.go', readDocument('docs/recipes/understudy_test.go')],
        ['failing_test.go', suite('failing_test.go')],
      ])
      const command = 'infra-understudy exec --trace run.html -- go test -vet=off -count=1 .'
      await runCommands(sandbox.folder, `${command} || true`)
      const trace = readTrace(readFileSync(join(sandbox.folder, 'run.html'), 'utf8'))
      expect(trace.run).toMatchObject({
        exitCode: 1,
        command: ['go', 'test', '-vet=off', '-count=1', '.'],
      })
      const worlds = trace.worlds.flatMap((world) => {
        const marks = world.steps.flatMap((step) => (step.kind === 'mark' ? [step.text] : []))
        const [, title] = /^test failed: (.*)$/.exec(marks.at(-1) ?? '') ?? []
        return title === undefined ? [] : [[wordsOf(title), traceOfWorld(trace, world)] as const]
      })
      expectCauses(new Map(worlds))
    },
  )
})
