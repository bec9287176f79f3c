import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { renderTracePage } from '../../../routes/trace/page.ts'
import type { Trace, TraceStep } from '../../../routes/trace/trace.ts'
import { readTraceFile } from '../../../src/cli/trace/read-trace-file.ts'
import { ConfigError } from '../../../src/config-error.ts'
import { requestStep, tracedWorld, traceOf } from '../../support/traces.ts'

const template = '<p><script type="application/octet-stream" id="trace-data"></script>'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function fileOf(trace: Trace): Promise<string> {
  const file = join(temporaryFolder(), 't.html')
  writeFileSync(file, await renderTracePage(trace, template))
  return file
}

type Settings = Parameters<typeof readTraceFile>[0]

function read(file: string, settings: Partial<Settings> = {}, environment = {}): string {
  return readTraceFile({ files: [file], view: 'json', github: false, ...settings }, environment)
}

/** Returns the line of text that refuses a call. */
function refusal(file: string, settings: Partial<Settings> = {}, environment = {}): string {
  try {
    read(file, settings, environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.message).not.toContain('\n')
    return error.message
  }
  throw new Error('expected a refusal')
}

const putKey = (value: string) =>
  ({
    kind: 'changes',
    ms: 1,
    at: '2026-01-01T00:00:00Z',
    request: 'r1',
    changes: [{ table: 'mesh.keys', key: 'a', after: { value } }],
  }) as const
const world = tracedWorld({
  start: { 'kernel.options': { mesh: { dialect: 'vendor' } }, 'kernel.jobs': { j: { at: 1 } } },
  steps: [putKey('one'), requestStep(), putKey('two'), requestStep({ id: 'r2' })],
})

describe('behaviour/program#traces: understudy trace json', () => {
  test('prints the data', async () => {
    const trace = traceOf({ worlds: [world] })
    expect(JSON.parse(read(await fileOf(trace)))).toEqual(trace)
  })

  test('prints the state right after a request, in the form of a state document', async () => {
    const file = await fileOf(traceOf({ worlds: [world, tracedWorld({ id: 'other' })] }))
    const valueAt = (at: string) => JSON.parse(read(file, { at }))
    expect(valueAt('r1')).toEqual({
      format: 1,
      world: { tables: { jobs: { j: { at: 1 } } } },
      options: { mesh: { dialect: 'vendor' } },
      mesh: { tables: { keys: { a: { value: 'one' } } } },
    })
    expect(valueAt('r2').mesh.tables.keys).toEqual({ a: { value: 'two' } })
  })

  test('names a request before a reset with the number of resets before it', async () => {
    const steps: TraceStep[] = [
      putKey('one'),
      requestStep(),
      { kind: 'replaced', ms: 1, at: '2026-01-01T00:00:00Z', cause: 'reset', state: {} },
      putKey('two'),
      { ...requestStep(), round: 1 } as TraceStep,
    ]
    const file = await fileOf(traceOf({ worlds: [tracedWorld({ steps })] }))
    const valueAt = (at: string) => JSON.parse(read(file, { at })).mesh.tables.keys.a.value
    expect([valueAt('r1.0'), valueAt('r1')]).toEqual(['one', 'two'])
    expect(refusal(file, { at: 'r1.7' })).toMatch('the trace has no request "r1.7"')
  })

  test('needs a world if several worlds have the request', async () => {
    const file = await fileOf(traceOf({ worlds: [world, { ...world, id: 'other' }] }))
    expect(JSON.parse(read(file, { at: 'r1', world: 'other' }))).toMatchObject({ format: 1 })
    expect(refusal(file, { at: 'r1' })).toBe(
      '2 worlds have a request "r1"; select one with --world: default, other',
    )
    expect(refusal(file, { at: 'r1', world: 'othre' })).toBe(
      'the trace has no world "othre"; did you mean other?',
    )
  })

  test('names an unknown request, and how many are missing', async () => {
    const file = await fileOf(traceOf({ worlds: [{ ...world, missing: 3 }] }))
    expect(refusal(file, { at: 'r9' })).toBe(
      'the trace has no request "r9" in any of its worlds; the trace omits 3 requests',
    )
    expect(refusal(file, { at: 'r9', world: 'default' })).toBe(
      'the trace has no request "r9" in the world "default"; the trace omits 3 requests',
    )
  })
})

describe('behaviour/program#traces: understudy trace summary', () => {
  test('prints which tests ran and the path of the file', async () => {
    const file = await fileOf(traceOf())
    const text = read(file, { view: 'summary' })
    expect(text).toContain('## Trace of `pytest`\n')
    expect(text).toContain(`- Trace: \`${file}\`\n`)
  })

  test('is appended to the page of a CI job', async () => {
    const file = await fileOf(traceOf())
    const page = join(temporaryFolder(), 'page.md')
    writeFileSync(page, 'before\n')
    const settings = { view: 'summary', github: true } as const
    expect(read(file, settings, { GITHUB_STEP_SUMMARY: page })).toBe('')
    expect(readFileSync(page, 'utf8')).toBe(`before\n${read(file, { view: 'summary' })}`)
    expect(refusal(file, settings)).toBe(
      "--github needs the variable GITHUB_STEP_SUMMARY, which names the file of the job's page",
    )
    expect(refusal(file, settings, { GITHUB_STEP_SUMMARY: tmpdir() })).toMatch(
      /^GITHUB_STEP_SUMMARY: cannot write .* \(EISDIR: .*\)$/,
    )
  })
})

describe('behaviour/program#traces: understudy trace refuses', () => {
  test('files that are not a trace, damaged, or of a newer form, in one line', async () => {
    const folder = temporaryFolder()
    const write = (content: string) => {
      const file = join(folder, 'bad.html')
      writeFileSync(file, content)
      return file
    }
    const whole = await renderTracePage(traceOf(), template)
    expect(refusal(write('<p>'))).toMatch(/bad\.html: this is not a trace: it holds no data$/)
    expect(refusal(write(whole.slice(0, 200)))).toMatch(/bad\.html: this is not a trace/)
    expect(refusal(write(whole.replace('H4sI', 'H4sX')))).toMatch(
      /bad\.html: the trace is damaged: its data cannot be unpacked$/,
    )
    const newer = await renderTracePage(traceOf({ format: 2 }), template)
    expect(refusal(write(newer))).toMatch(/the trace has format 2; this version reads/)
    const other = await renderTracePage({ version: '1', worlds: [] } as unknown as Trace, template)
    expect(refusal(write(other))).toMatch(/bad\.html: this is not a trace: it has no format$/)
    expect(refusal(join(folder, 'none.html'))).toMatch(/^cannot read .*none\.html \(ENOENT: /)
    expect(refusal(folder)).toMatch(/^cannot read .* \(EISDIR: /)
  })

  test('flags that do not belong together', async () => {
    const file = await fileOf(traceOf())
    expect(refusal(file, { view: 'summary', at: 'r1' })).toBe('--at is a flag of trace json')
    expect(refusal(file, { github: true })).toBe('--github is a flag of trace summary')
    expect(refusal(file, { world: 'default' })).toBe(
      '--world selects the world of the request in --at; add --at REQUEST',
    )
  })
})
