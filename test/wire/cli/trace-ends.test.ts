import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTrace } from '../../../routes/trace/page.ts'
import { command, run, start, startCommand } from '../../support/command.ts'

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 't.html')
}

const filesBeside = (file: string) => readdirSync(dirname(file)).sort()
const traceIn = (file: string) => readTrace(readFileSync(file, 'utf8'))

/** Starts the command below a shell, whose words come before it. */
function startBelowShell(words: string, argv: readonly string[]) {
  const shell = spawn('sh', ['-c', words, 'sh', ...command, ...argv], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void shell.kill('SIGKILL'))
  return shell
}

describe('behaviour/program#traces: exec writes a whole trace', () => {
  test.each([
    ['is killed', ['sh', '-c', 'kill -9 $$'], 137],
    ['does not exist', ['no-such-command-anywhere'], 127],
  ] as const)('when the command %s', async (_, program, exitCode) => {
    const file = temporaryFile()
    const { code, stderr } = await run(['exec', `--trace=${file}`, '--', ...program])
    expect(code).toBe(exitCode)
    expect(stderr.endsWith(`\nunderstudy: trace: ${file}\n`)).toBe(true)
    expect(traceIn(file).run).toMatchObject({ command: program, exitCode })
    expect(filesBeside(file)).toEqual(['t.html'])
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('when %s ends the command', async (signal, exitCode) => {
    const file = temporaryFile()
    const waits = "console.log('runs'); setInterval(() => {}, 1000)"
    const argv = ['exec', `--trace=${file}`, '--', process.execPath, '-e', waits]
    const running = startCommand(argv)
    expect(await running.line).toBe('runs')
    running.kill(signal)
    expect((await running.ended).code).toBe(exitCode)
    expect(traceIn(file).run.exitCode).toBe(exitCode)
  })
})

describe('behaviour/program#traces: start', () => {
  test('a killed server leaves no trace, and the next run replaces its draft', async () => {
    const file = temporaryFile()
    writeFileSync(file, 'of an earlier run')
    const server = await start(['--port=0', `--trace=${file}`])
    expect(existsSync(file)).toBe(false)
    writeFileSync(`${file}.draft`, 'what a killed server had written')
    expect((await server.stop('SIGKILL')).code).toBe(null)
    expect(filesBeside(file)).toEqual(['t.html.draft'])
    const next = await start(['--port=0', `--trace=${file}`])
    expect(filesBeside(file)).toEqual([])
    expect((await next.stop('SIGINT')).code).toBe(0)
    expect(filesBeside(file)).toEqual(['t.html'])
    expect(traceIn(file).worlds).toEqual([])
  })

  test('a second signal ends the server at once, without a file', async () => {
    const file = temporaryFile()
    const server = await start(['--port=0', `--trace=${file}`])
    // A stopped process receives both signals together when it continues.
    const { code, stderr } = await server.stop('SIGSTOP', 'SIGTERM', 'SIGINT', 'SIGCONT')
    expect([code, stderr.includes('trace')]).toEqual([1, false])
    expect(filesBeside(file)).toEqual([])
  })

  test('a server that ends with its parent writes a trace', async () => {
    const file = temporaryFile()
    const argv = ['--port=0', '--log-level=silent', '--end-with-parent', `--trace=${file}`]
    const shell = startBelowShell('"$@" & wait', argv)
    await once(shell.stdout, 'data')
    shell.kill('SIGKILL')
    // The server has inherited the streams, so they close at its end.
    const [, stderr] = await Promise.all([buffer(shell.stdout), text(shell.stderr)])
    expect(stderr).toBe(`understudy: trace: ${file}\n`)
    expect(traceIn(file).run.flags).toContain('--end-with-parent')
  })
})

describe('behaviour/program#traces: a disk that is full in the middle of the file', () => {
  // A limit on the size of files makes writes fail as on a full disk, without root privileges.
  const limited = 'ulimit -f 32; exec "$@"'

  test('costs exec one line, and the exit code stays that of the command', async () => {
    const file = temporaryFile()
    const program = ['sh', '-c', 'exit 5']
    const shell = startBelowShell(limited, ['exec', `--trace=${file}`, '--', ...program])
    const [stderr, [code]] = await Promise.all([text(shell.stderr), once(shell, 'close')])
    expect(code).toBe(5)
    expect(stderr).toMatch(
      /^understudy: running .*\nunderstudy: cannot write the trace \S+t\.html \(EFBIG: .*\)\n$/,
    )
    expect(filesBeside(file)).toEqual([])
  })

  test('costs start one line, and the exit code is 1', async () => {
    const file = temporaryFile()
    const argv = ['--port=0', '--log-level=silent', `--trace=${file}`]
    const shell = startBelowShell(limited, argv)
    await once(shell.stdout, 'data')
    shell.kill('SIGTERM')
    const [stderr, [code]] = await Promise.all([text(shell.stderr), once(shell, 'close')])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^understudy: cannot write the trace \S+t\.html \(EFBIG: .*\)\n$/)
    expect(filesBeside(file)).toEqual([])
  })
})

describe('behaviour/program#traces: a path that cannot be a file', () => {
  test.each([
    ['a folder', 'folder', 'is a folder; it must be a file'],
    ['a pipe', 'pipe', 'is a pipe; it must be a file'],
    ['a device', '/dev/full', 'is a device; it must be a file'],
    ['a missing folder', 'none/t.html', 'is in a folder that does not exist'],
  ])('is refused before exec starts anything: %s', async (_, name, reason) => {
    const folder = dirname(temporaryFile())
    mkdirSync(join(folder, 'folder'))
    await once(spawn('mkfifo', [join(folder, 'pipe')]), 'exit')
    const path = name.startsWith('/') ? name : join(folder, name)
    const program = ['touch', join(folder, 'started')]
    const { code, stdout, stderr } = await run(['exec', `--trace=${path}`, '--', ...program])
    expect([code, stdout, stderr]).toEqual([2, '', `understudy: --trace: ${path} ${reason}\n`])
    expect(readdirSync(folder).sort()).toEqual(['folder', 'pipe'])
  })
})
