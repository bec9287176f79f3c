import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Config } from '../../../src/cli/config.ts'
import { readConfig } from '../../../src/cli/config.ts'
import { execute } from '../../../src/cli/exec.ts'
import { prepareTrace, withoutTraceFile, writeTrace } from '../../../src/cli/run-trace.ts'
import { endOnSignals } from '../../../src/cli/signals.ts'
import { givenFlags } from '../../../src/given-flags.ts'
import { TraceFile } from '../../../src/trace-file.ts'

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 't.html')
}

const never = <T>(): Promise<T> => new Promise(() => {})

/** Returns a substitute for `process`. The test sends signals by hand. */
function host(env: Readonly<Record<string, string>> = {}) {
  const handlers = new Map<string, (signal: NodeJS.Signals) => void>()
  const lines: string[] = []
  const codes: number[] = []
  return {
    env: { PATH: process.env['PATH'], ...env },
    stdin: {},
    stderr: { write: (line: string) => void lines.push(line) },
    on: (signal: string, handle: (signal: NodeJS.Signals) => void) => {
      handlers.set(signal, handle)
    },
    exit: (code: number) => void codes.push(code),
    send: (signal: NodeJS.Signals) => handlers.get(signal)?.(signal),
    lines,
    codes,
  }
}

/** Returns a substitute for a server, whose trace is the exit code. */
function server(page: (code: number | null) => Promise<string> = async (code) => `page ${code}`) {
  return {
    env: { UNDERSTUDY_URL: 'http://127.0.0.1:1' },
    tracePage: vi.fn(page),
    close: vi.fn(() => Promise.resolve()),
  }
}

async function execConfig(trace: string, program: readonly string[]): Promise<Config> {
  const call = await readConfig(['exec', `--trace=${trace}`, '--', ...program], {}, false)
  if (!('command' in call)) throw new Error('expected a configuration')
  return call
}

const node = (code: string) => [process.execPath, '-e', code]

describe('behaviour/program#traces: exec --trace', () => {
  test.each([
    ['succeeds', node(''), 0],
    ['fails', node('process.exit(3)'), 3],
    ['is ended by a signal', node("process.kill(process.pid, 'SIGTERM')"), 143],
    ['does not exist', ['no-such-command-anywhere'], 127],
  ] as const)('writes the trace of a command that %s', async (_, program, code) => {
    const file = temporaryFile()
    const hostProcess = host()
    const started = server()
    const result = await execute(await execConfig(file, program), hostProcess, async () => started)
    expect(result).toBe(code)
    expect(readFileSync(file, 'utf8')).toBe(`page ${code}`)
    expect(hostProcess.lines.at(-1)).toBe(`understudy: trace: ${file}\n`)
    expect(started.close).toHaveBeenCalledTimes(1)
    // The end of the worlds is not part of the run.
    expect(started.tracePage.mock.invocationCallOrder[0]).toBeLessThan(
      Number(started.close.mock.invocationCallOrder[0]),
    )
  })

  test('removes the older file before the command starts, and hides the variables from it', async () => {
    const file = temporaryFile()
    writeFileSync(file, 'older')
    const check = `
      const { UNDERSTUDY_TRACE, UNDERSTUDY_TRACE_VALUES } = process.env
      const isGone = !require('node:fs').existsSync(${JSON.stringify(file)})
      process.exit(isGone && !UNDERSTUDY_TRACE && !UNDERSTUDY_TRACE_VALUES ? 0 : 1)
    `
    const config = await execConfig(file, node(check))
    const hostProcess = host({ UNDERSTUDY_TRACE: file, UNDERSTUDY_TRACE_VALUES: '0' })
    expect(await execute(config, hostProcess, async () => server())).toBe(0)
  })

  test('a trace that cannot be written is one line, and the exit code stays', async () => {
    const file = temporaryFile()
    const hostProcess = host()
    const failing = server(() => Promise.reject(new Error('no\nmemory')))
    const config = await execConfig(file, node('process.exit(4)'))
    expect(await execute(config, hostProcess, async () => failing)).toBe(4)
    expect(hostProcess.lines.at(-1)).toBe(
      `understudy: cannot write the trace ${file} (no memory)\n`,
    )
  })

  test('a second signal ends the writing, without a file', async () => {
    const file = temporaryFile()
    const hostProcess = host()
    const slow = server(never)
    const config = await execConfig(file, node(''))
    const running = execute(config, hostProcess, async () => slow)
    await vi.waitFor(() => expect(slow.tracePage).toHaveBeenCalled())
    hostProcess.send('SIGINT')
    hostProcess.send('SIGINT')
    expect(await running).toBe(0)
    expect(readdirSync(join(file, '..'))).toEqual([])
  })

  test('a bad path is refused before the server starts', async () => {
    const config = await execConfig('/dev/null', node(''))
    const start = vi.fn(async () => server())
    await expect(execute(config, host(), start)).rejects.toThrow(
      '--trace: /dev/null is a device; it must be a file',
    )
    expect(start).not.toHaveBeenCalled()
  })
})

describe('behaviour/program#traces: start --trace', () => {
  test('the process ends once the file is written, with 1 if it is not', async () => {
    for (const isWritten of [true, false]) {
      const hostProcess = host()
      const write = vi.fn(async () => isWritten)
      const close = vi.fn(() => Promise.resolve())
      endOnSignals(hostProcess, close, { write, abandon: vi.fn() })
      hostProcess.send('SIGTERM')
      await vi.waitFor(() => expect(hostProcess.codes.length).toBeGreaterThan(0))
      expect(new Set(hostProcess.codes)).toEqual(new Set([isWritten ? 0 : 1]))
      expect(write.mock.invocationCallOrder[0]).toBeLessThan(
        Number(close.mock.invocationCallOrder[0]),
      )
    }
  })

  test('the server closes while the trace is written; a second signal abandons the file', () => {
    const hostProcess = host()
    const abandon = vi.fn()
    const close = vi.fn(() => Promise.resolve())
    endOnSignals(hostProcess, close, { write: never, abandon })
    hostProcess.send('SIGTERM')
    expect([close.mock.calls.length, hostProcess.codes]).toEqual([1, []])
    hostProcess.send('SIGINT')
    expect(hostProcess.codes).toEqual([1])
    expect(abandon).toHaveBeenCalledTimes(1)
  })

  describe('with a slow trace', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test('the process waits 8 s at most', async () => {
      const file = temporaryFile()
      const writing = writeTrace(server(never), new TraceFile(file), null)
      await vi.advanceTimersByTimeAsync(7_900)
      const early = await Promise.race([writing, Promise.resolve('waits')])
      expect(early).toBe('waits')
      await vi.advanceTimersByTimeAsync(200)
      expect(await writing).toEqual({
        line: `understudy: cannot write the trace ${file} (it took longer than 8000 ms)\n`,
        isWritten: false,
      })
    })
  })
})

describe('behaviour/program#traces: settings', () => {
  test('--trace-values needs --trace', () => {
    expect(() => prepareTrace({ traceValues: true })).toThrow(
      '--trace-values needs --trace, the file of the trace',
    )
    expect(prepareTrace({ traceValues: false })).toBeUndefined()
  })

  test('the variable is passed on if it is a word for tests, else hidden', () => {
    const word = { UNDERSTUDY_TRACE: 'on-failure', PATH: '/' }
    expect(withoutTraceFile(word)).toEqual(word)
    const file = { UNDERSTUDY_TRACE: 't.html', UNDERSTUDY_TRACE_VALUES: '1', PATH: '/' }
    expect(withoutTraceFile(file)).toEqual({ PATH: '/' })
  })

  test('flags are shown as given, without secrets', () => {
    const argv = [
      'exec',
      '--tls',
      '--seed=s',
      '--root-token',
      'r',
      '--port=0',
      '--',
      'ls',
      '--seed',
    ]
    expect(givenFlags(argv, false)).toEqual([
      ...['--tls', '--seed=(hidden)', '--root-token', '(hidden)', '--port=0'],
    ])
    expect(givenFlags(argv, true)).toEqual(['--tls', '--seed=s', '--root-token', 'r', '--port=0'])
    const options = '{"mesh":{"initialManagementToken":"a\\"b","datacenter":"dc2"}}'
    expect(givenFlags(['--options', options], false)).toEqual([
      '--options',
      '{"mesh":{"initialManagementToken":"(hidden)","datacenter":"dc2"}}',
    ])
    expect(givenFlags(['server', '-dev', '-dev-root-token-id=r'], false)).toEqual([
      ...['server', '-dev', '-dev-root-token-id=(hidden)'],
    ])
  })
})
