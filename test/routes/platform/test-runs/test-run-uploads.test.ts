import { describe, expect, test } from 'vitest'
import { archiveOf } from '../../../support/platform/archives.ts'
import { type PlatformSettings, platform } from '../../../support/platform/platform.ts'
import {
  createRun,
  createVersion,
  localPart,
  runsPath,
  upload,
} from '../../../support/platform/platform-tests.ts'

const section = 'behaviour/platform#log'

const files = {
  './main.tf': 'resource "null_resource" "one" {\n}\n',
  './tests/main.tftest.hcl': '# tests\nrun "greets" {\n}\n\n  run "again" {\n  }\n',
  './tests/second.tftest.hcl': 'run "late" {\n}\n',
  './tests/empty.tftest.hcl': 'variables {\n}\n',
}

/** Returns a server with a run of uploaded files, and its current log. */
async function withUpload({
  contents = files as Readonly<Record<string, string>>,
  attributes = {},
  settings = {} as PlatformSettings,
} = {}) {
  const options = { autoCreateTestRunOnUpload: false, ...settings.options }
  const mock = await platform({ ...settings, options })
  const version = await createVersion(mock.platform)
  const url = version.attributes['upload-url']
  await upload(mock.platform, url, archiveOf(contents))
  const { id } = await createRun(mock.platform, attributes, version.id)
  mock.clock.advance(250)
  const read = async () => (await mock.platform.get(`${runsPath}/${id}`)).body.data.attributes
  const log = localPart((await read())['log-read-url'])
  return {
    ...mock,
    url,
    read,
    act: (action: string) => mock.platform.post(`${runsPath}/${id}/${action}`),
    lines: async () => {
      const { text } = await mock.platform.get(log, { token: null })
      const all = text.replaceAll('\u0002', '').replaceAll('\u0003', '').split('\n')
      return all.filter((line) => line !== '').map((line) => JSON.parse(line))
    },
  }
}

type Upload = Awaited<ReturnType<typeof withUpload>>

async function messages({ lines }: Upload): Promise<string[]> {
  return (await lines()).map((line) => line['@message'])
}

const counts = async ({ read }: Upload) => {
  const attributes = await read()
  return ['passed', 'failed', 'errored', 'skipped'].map((name) => attributes[`tests-${name}`])
}

const result = (value: string) => ({ variables: [{ key: 'mock_result', value }] })

describe(`${section}, 2.3: a run of uploaded test files`, () => {
  test('all run blocks of the upload pass, files one after the other', async () => {
    const run = await withUpload()
    run.clock.advance(2_000)
    expect(await messages(run)).toEqual([
      'Infra 1.9.8',
      'Found 3 files and 3 run blocks',
      'tests/empty.tftest.hcl... in progress',
      'tests/empty.tftest.hcl... pass',
      'tests/main.tftest.hcl... in progress',
      '  "greets"... in progress',
      '  "greets"... pass',
      '  "again"... in progress',
      '  "again"... pass',
      'tests/main.tftest.hcl... tearing down',
      'tests/main.tftest.hcl... pass',
      'tests/second.tftest.hcl... in progress',
      '  "late"... in progress',
      '  "late"... pass',
      'tests/second.tftest.hcl... tearing down',
      'tests/second.tftest.hcl... pass',
      'Success! 3 passed, 0 failed.',
    ])
    const [, abstract] = await run.lines()
    expect(abstract.test_abstract).toEqual({
      'tests/empty.tftest.hcl': null,
      'tests/main.tftest.hcl': ['greets', 'again'],
      'tests/second.tftest.hcl': ['late'],
    })
    expect(await counts(run)).toEqual([3, 0, 0, 0])
    expect((await run.read())['test-status']).toBe('pass')
  })

  test('mock_result fail: the first block fails, with its location in the upload, the rest pass', async () => {
    const run = await withUpload({ attributes: result('fail') })
    run.clock.advance(2_000)
    expect(await counts(run)).toEqual([2, 1, 0, 0])
    const lines = await run.lines()
    const at = lines.findIndex(({ type }) => type === 'diagnostic')
    expect(lines[at - 1].test_run).toEqual({
      path: 'tests/main.tftest.hcl',
      run: 'greets',
      progress: 'complete',
      status: 'fail',
    })
    expect(lines[at]).toEqual({
      '@level': 'error',
      '@message': 'Error: Test assertion failed',
      '@module': 'infra.ui',
      '@testfile': 'tests/main.tftest.hcl',
      '@testrun': 'greets',
      '@timestamp': '2026-01-01T00:00:00.916000Z',
      diagnostic: {
        severity: 'error',
        summary: 'Test assertion failed',
        detail: 'The outcome of this test was set to fail.',
        range: {
          filename: 'tests/main.tftest.hcl',
          start: { line: 2, column: 1, byte: 8 },
          end: { line: 2, column: 13, byte: 20 },
        },
        snippet: {
          context: 'run "greets"',
          code: 'run "greets" {',
          start_line: 2,
          highlight_start_offset: 0,
          highlight_end_offset: 12,
          values: [],
        },
      },
      type: 'diagnostic',
    })
    const all = await messages(run)
    expect(all).toContain('tests/main.tftest.hcl... fail')
    expect(all).toContain('tests/second.tftest.hcl... pass')
    expect(all.at(-1)).toBe('Failure! 2 passed, 1 failed.')
  })

  test('counts of the options take precedence: missing blocks are added, excess ones are left out', async () => {
    const more = await withUpload({ settings: { options: { testResults: { passed: 5 } } } })
    const [, abstract] = await more.lines()
    expect(abstract.test_abstract['tests/second.tftest.hcl']).toEqual(['late', 'run_4', 'run_5'])
    const testResults = { passed: 1, errored: 1 }
    const less = await withUpload({ settings: { options: { testResults } } })
    less.clock.advance(2_000)
    expect(await messages(less)).toEqual([
      'Infra 1.9.8',
      'Found 3 files and 2 run blocks',
      'tests/empty.tftest.hcl... in progress',
      'tests/empty.tftest.hcl... pass',
      'tests/main.tftest.hcl... in progress',
      '  "greets"... in progress',
      '  "greets"... pass',
      '  "again"... in progress',
      '  "again"... fail',
      'Error: Test run failed',
      'tests/main.tftest.hcl... tearing down',
      'tests/main.tftest.hcl... fail',
      'tests/second.tftest.hcl... in progress',
      'tests/second.tftest.hcl... pass',
      'Failure! 1 passed, 1 failed.',
    ])
    const lines = await less.lines()
    const { diagnostic } = lines.find(({ type }) => type === 'diagnostic')
    expect(diagnostic.snippet).toMatchObject({
      code: '  run "again" {',
      start_line: 5,
      highlight_start_offset: 2,
      highlight_end_offset: 13,
    })
    expect(lines.at(-1).test_summary.status).toBe('error')
  })

  test('filters select files; a filter that matches nothing selects none', async () => {
    const one = await withUpload({ attributes: { filters: ['tests/second.tftest.hcl'] } })
    one.clock.advance(2_000)
    expect(await counts(one)).toEqual([1, 0, 0, 0])
    const none = await withUpload({ attributes: { filters: ['second.tftest.hcl'] } })
    none.clock.advance(2_000)
    expect(await messages(none)).toEqual([
      'Infra 1.9.8',
      'Found 0 files and 0 run blocks',
      'Success! 0 passed, 0 failed.',
    ])
    expect((await none.lines())[1].test_abstract).toEqual({})
    expect(await counts(none)).toEqual([0, 0, 0, 0])
  })

  test('a missing test directory causes a warning at the start', async () => {
    const contents = { 'root.tftest.hcl': 'run "r" {\n}' }
    const run = await withUpload({ contents, attributes: { 'test-directory': 'zz' } })
    expect((await run.lines())[1]).toEqual({
      '@level': 'warn',
      '@message': 'Warning: Test directory does not exist',
      '@module': 'infra.ui',
      '@timestamp': '2026-01-01T00:00:00.250000Z',
      diagnostic: {
        severity: 'warning',
        summary: 'Test directory does not exist',
        detail: 'Requested test directory zz does not exist.',
      },
      type: 'diagnostic',
    })
    expect((await messages(run))[2]).toBe('Found 1 file and 1 run block')
  })

  test('cancel: files that have not begun are skipped entirely', async () => {
    const run = await withUpload()
    await run.act('cancel')
    run.clock.advance(1_500)
    expect((await messages(run)).slice(-9)).toEqual([
      '  "greets"... pass',
      '  "again"... skip',
      'tests/main.tftest.hcl... tearing down',
      'tests/main.tftest.hcl... pass',
      'tests/second.tftest.hcl... in progress',
      '  "late"... skip',
      'tests/second.tftest.hcl... tearing down',
      'tests/second.tftest.hcl... skip',
      'Success! 1 passed, 0 failed, 2 skipped.',
    ])
    expect(await run.read()).toMatchObject({ status: 'canceled', 'tests-passed': null })
  })

  test('force-cancel: resources that the interrupted test leaves behind', async () => {
    const run = await withUpload()
    await run.act('cancel')
    await run.act('force-cancel')
    const line = (await run.lines()).find(({ type }) => type === 'test_interrupt')
    expect(line).toMatchObject({
      '@level': 'error',
      '@message':
        'Infra was interrupted during test execution, and may not have performed the expected cleanup operations.',
      '@testfile': 'tests/main.tftest.hcl',
      '@testrun': 'greets',
      test_interrupt: { planned: ['null_resource.one'] },
    })
  })

  test('a second upload does not affect an existing run', async () => {
    const run = await withUpload()
    await upload(run.platform, run.url, archiveOf({ 'a.tftest.hcl': 'run "other" {\n}' }))
    expect((await messages(run))[1]).toBe('Found 3 files and 3 run blocks')
  })

  test.each([
    ['the option is off', files, { testNamesFromUpload: false }],
    ['no file counts', { 'main.tf': '' }, {}],
    [
      'only the neutral names, where they are none',
      { 'a.test.hcl': '' },
      { testFileNames: ['.tftest.hcl'] },
    ],
  ])('names are made up when %s', async (_, contents, options) => {
    const run = await withUpload({ contents, settings: { options } })
    expect((await run.lines())[1].test_abstract).toEqual({ 'tests/main.test.hcl': ['run_1'] })
  })

  // choice/platform#log-test-file-names
  test('the neutral dialect also accepts *.test.hcl', async () => {
    const run = await withUpload({ contents: { 'a.test.hcl': 'run "a" {\n}' } })
    expect((await run.lines())[1].test_abstract).toEqual({ 'a.test.hcl': ['a'] })
  })
})
