import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTrace } from '../../../routes/trace/page.ts'
import { readConfig } from '../../../src/cli/config.ts'
import { rehearse } from '../../../src/cli/rehearse/rehearse.ts'
import {
  countRequests,
  differsFromBaseline,
  wasFaulted,
} from '../../../src/cli/rehearse/request-counts.ts'
import { startServer } from '../../../src/cli/server.ts'
import type { RehearsedRequest } from '../../../src/embedding/rehearsed-worlds.ts'
import { builtModule } from '../../support/command.ts'
import { readJunit } from '../../support/junit.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-rehearse-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Calls `understudy rehearse` within this process. */
async function rehearsed(
  argv: readonly string[],
  code: string,
  { signal, env = {} }: { signal?: NodeJS.Signals; env?: Readonly<Record<string, string>> } = {},
) {
  const program = [process.execPath, '-e', code]
  const config = await readConfig(['rehearse', ...argv, '--', ...program], {}, false)
  if (!('command' in config)) throw new Error('expected a configuration')
  const output = { stdout: '', stderr: '' }
  const handlers = new Map<string, () => void>()
  const caller = {
    env: { PATH: process.env['PATH'], ...env },
    stdin: {},
    stdout: { write: (text: string) => (output.stdout += text) },
    stderr: { write: (text: string) => (output.stderr += text) },
    on: (name: NodeJS.Signals, handle: (signal: NodeJS.Signals) => void) =>
      handlers.set(name, () => handle(name)),
  }
  const outcome = await rehearse(config, caller, async (given) => {
    const server = await startServer(given)
    if (signal !== undefined) handlers.get(signal)?.()
    return server
  }).then(
    (exit) => ({ exit, error: '' }),
    (error) => ({ exit: 2, error: String(error.message) }),
  )
  return { ...outcome, ...output }
}

/** Program that reads a secret once. */
const reading = `
  fetch(process.env.VAULT_ADDR + '/v1/auth/token/lookup-self', {
    headers: { 'X-Vault-Token': process.env.VAULT_TOKEN },
  }).then((reply) => process.exit(reply.ok ? 0 : 3))`

/** Returns the columns before the duration. */
const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/).slice(0, 4).join(' '))

describe('behaviour/program#commands: understudy rehearse', () => {
  test('each failure has its own world; failures that the command does not survive are reported', async () => {
    const folder = temporary()
    const presets = '--presets=secrets-sealed,any-unavailable,mesh-no-leader,any-slow'
    const { exit, stdout, stderr } = await rehearsed(
      [presets, '--fail-under=60', '--report', join(folder, 'report')],
      reading,
    )
    expect(exit).toBe(1)
    expect(rowsOf(stdout)).toEqual([
      'secrets-sealed no 1 0',
      'any-unavailable no 1 0',
      'mesh-no-leader not used - -',
      'any-slow yes 1 0',
    ])
    expect(stderr).toContain('understudy: 1 of 3 survived: 33.3 % (60 % required)\n')
    const file = (name: string) => readFileSync(join(folder, 'report', name), 'utf8')
    const json = JSON.parse(file('rehearsal.json'))
    expect(json).toMatchObject({
      survived: 1,
      tried: 3,
      percent: 33.3,
      failUnder: 60,
      passed: false,
    })
    expect(json.trials[0]).toMatchObject({
      preset: 'secrets-sealed',
      survived: false,
      reason: 'the command ended with code 3',
    })
    expect(file('rehearsal.md')).toMatch(/^\| secrets-sealed \| no \| 1 \| 0 \| \d+\.\d s \|$/m)
    expect(file('rehearsal.md')).toContain(
      '- `secrets-sealed`: the command ended with code 3 ([trace](secrets-sealed.html))\n',
    )
    const xml = file('rehearsal.xml')
    expect(xml).toMatch(/tests="4" failures="2"/)
    expect(xml).toMatch(/classname="rehearsal.any" name="any-slow" time="[1-9]/)
    expect(readJunit(xml).map(({ attributes }) => attributes['name'])).toEqual(['rehearsal'])
  })

  // choice/process#rehearsal-unused
  test('a preset that no request met is not used, and does not count as survived', async () => {
    const mixed = await rehearsed(['--presets=mesh-no-leader,any-slow'], reading)
    expect([mixed.exit, ...rowsOf(mixed.stdout)]).toEqual([
      0,
      'mesh-no-leader not used - -',
      'any-slow yes 1 0',
    ])
    expect(mixed.stderr).toContain('understudy: 1 of 1 survived: 100 % (100 % required)\n')
    const unused = await rehearsed(['--presets=mesh-no-leader'], reading)
    expect([unused.exit, unused.error]).toEqual([
      2,
      'no preset changed the reply to any request of the command, so nothing was rehearsed',
    ])
  })

  test('a command that makes no request is not rehearsed', async () => {
    const { exit, stdout, error } = await rehearsed([], 'process.exit(0)')
    expect([exit, stdout]).toEqual([2, ''])
    expect(error).toMatch(/^without faults, the command made no request to the server; /)
  })

  test('failures reach every world that the command creates on the server', async () => {
    const inOwnWorld = `
      const send = (path, options) => fetch(process.env.UNDERSTUDY_URL + path, options)
      const json = { 'content-type': 'application/json' }
      const create = { method: 'POST', headers: json, body: '{"id": "mine"}' }
      const read = { headers: { 'X-Vault-Token': process.env.VAULT_TOKEN } }
      send('/_mock/worlds', create)
        .then(() => send('/_world/mine/v1/auth/token/lookup-self', read))
        .then((reply) => process.exit(reply.ok ? 0 : 3))`
    const { exit, stdout } = await rehearsed(
      ['--presets=secrets-sealed,any-unavailable', '--fail-under=0'],
      inOwnWorld,
    )
    expect([exit, ...rowsOf(stdout)]).toEqual([
      0,
      'secrets-sealed no 1 0',
      'any-unavailable no 1 0',
    ])
  })

  // choice/process#rehearsal-embedded
  test('failures reach the worlds of servers in the processes of the command', async () => {
    const embedded = `
      import(${builtModule('index')})
        .then(async ({ createUnderstudy }) => {
          const understudy = await createUnderstudy({ dialect: 'vendor' })
          const world = understudy.createWorld()
          const headers = { 'X-Vault-Token': 'root' }
          const url = '/v1/auth/token/lookup-self'
          const { statusCode } = await world.inject({ url, headers })
          await understudy.close()
          process.exit(statusCode === 200 ? 0 : 3)
        })`
    const argv = ['--presets=secrets-sealed', '--fail-under=0']
    const { exit, stdout } = await rehearsed(argv, embedded)
    expect([exit, ...rowsOf(stdout)]).toEqual([0, 'secrets-sealed no 1 0'])
  }, 60_000)

  test('the variables of other servers are hidden from the command, and named once', async () => {
    const check = `${reading}
      if (Object.keys(process.env).some((name) => /VAULT_AGENT_ADDR|NOMAD_REGION/.test(name)))
        process.exit(9)`
    const env = { VAULT_AGENT_ADDR: 'http://127.0.0.1:1', NOMAD_REGION: 'x' }
    const { exit, stderr } = await rehearsed(['--presets=any-slow'], check, { env })
    expect([exit, stderr.match(/hidden from the command/g)?.length]).toEqual([0, 1])
    expect(stderr).toContain(
      'understudy: variables hidden from the command, because clients might read them: NOMAD_REGION, VAULT_AGENT_ADDR\n',
    )
  })

  test('as many survived as are asked for: 0', async () => {
    const argv = ['--presets=secrets-sealed,any-slow', '--fail-under=50']
    expect((await rehearsed(argv, reading)).exit).toBe(0)
  })

  // choice/process#rehearsal-impossible
  test('a failure that cannot be in such a world is not tried and does not count', async () => {
    const folder = temporary()
    const options = '--options={"secrets":{"edition":"community"}}'
    const argv = [options, '--presets=secrets-dr-secondary,any-slow', `--report=${folder}`]
    const { exit, stdout, stderr } = await rehearsed(argv, reading)
    expect(exit).toBe(0)
    expect(rowsOf(stdout)).toEqual(['secrets-dr-secondary not tried - -', 'any-slow yes 1 0'])
    expect(stderr).toContain('the community edition has no DR replication')
    const [suite] = readJunit(readFileSync(join(folder, 'rehearsal.xml'), 'utf8'))
    expect(suite?.attributes).toMatchObject({ tests: '2', failures: '0', skipped: '1' })
  })

  // choice/process#rehearsal-time-limit
  test('behaviour/program#commands: a run past its time is ended with all that it started', async () => {
    const { exit, stdout, stderr } = await rehearsed(
      ['--presets=secrets-sealed', '--time-limit=2s'],
      `${reading.replace(
        'process.exit(reply.ok ? 0 : 3)',
        `{
        if (reply.ok) process.exit(0)
        require('node:child_process').spawn('sleep', ['100'], { stdio: 'ignore' })
        process.on('SIGTERM', () => {})
        setInterval(() => {}, 1000)
      }`,
      )}`,
    )
    expect([exit, ...rowsOf(stdout)]).toEqual([1, 'secrets-sealed no 1 0'])
    expect(stderr).toContain('not survived, the command took longer than 2.0 s')
  }, 20_000)

  test('a command that fails undisturbed is not rehearsed', async () => {
    const failed = await rehearsed([], 'process.exit(4)')
    expect([failed.exit, failed.stdout, failed.error]).toEqual([
      2,
      '',
      'without faults, the command ended with code 4; nothing to rehearse',
    ])
    const killed = await rehearsed([], "process.kill(process.pid, 'SIGKILL')")
    expect(killed.error).toBe(
      'without faults, the command was ended by SIGKILL; nothing to rehearse',
    )
  })

  test('behaviour/program#traces: each failure that is not survived has a trace', async () => {
    const folder = temporary()
    const argv = ['--presets=secrets-sealed,any-slow', `--report=${folder}`]
    const { exit } = await rehearsed(argv, reading)
    expect(exit).toBe(1)
    const traces = readdirSync(folder).filter((name) => name.endsWith('.html'))
    expect(traces).toEqual(['secrets-sealed.html'])
    const { run, worlds } = readTrace(readFileSync(join(folder, 'secrets-sealed.html'), 'utf8'))
    expect([run.exitCode, run.command[0]]).toEqual([3, process.execPath])
    const steps = worlds.flatMap((world) => world.steps)
    const requests = steps.flatMap((step) => (step.kind === 'request' ? [step.entry.path] : []))
    expect(requests).toEqual(['/v1/auth/token/lookup-self'])
    const file = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(JSON.parse(file('rehearsal.json')).trials).toMatchObject([
      { preset: 'secrets-sealed', trace: 'secrets-sealed.html' },
      { preset: 'any-slow', survived: true },
    ])
    expect(file('rehearsal.xml')).toContain('trace: secrets-sealed.html')
  })

  test('behaviour/program#traces: a run whose requests went to servers of the command has no trace', async () => {
    const folder = temporary()
    const { exit, stderr } = await rehearsed(
      [`--report=${folder}`],
      `const { file } = JSON.parse(process.env.UNDERSTUDY_REHEARSAL)
      const request = { method: 'GET', path: '/v1/sys/health', status: 200, outcome: 'served' }
      require('node:fs').appendFileSync(file, JSON.stringify(request) + '\\n')
      process.exit(4)`,
    )
    expect(exit).toBe(2)
    expect(readdirSync(folder).filter((name) => name.endsWith('.html'))).toEqual([])
    expect(stderr).toContain(
      'understudy: undisturbed: no trace; all requests went to servers that the command started.',
    )
  })

  test('behaviour/program#traces: a failed run without faults is reported with its trace', async () => {
    const folder = temporary()
    const failing = reading.replace('reply.ok ? 0 : 3', '4')
    const { exit, error } = await rehearsed([`--report=${folder}`], failing)
    expect([exit, error]).toEqual([
      2,
      'without faults, the command ended with code 4; nothing to rehearse',
    ])
    expect(readdirSync(folder).sort()).toEqual([
      'rehearsal.json',
      'rehearsal.md',
      'rehearsal.xml',
      'undisturbed.html',
    ])
    const file = (name: string) => readFileSync(join(folder, name), 'utf8')
    expect(readTrace(file('undisturbed.html')).run.exitCode).toBe(4)
    expect(file('rehearsal.md')).toContain(
      '- without faults: the command ended with code 4 ([trace](undisturbed.html))\n',
    )
    expect(JSON.parse(file('rehearsal.json'))).toMatchObject({
      passed: false,
      trials: [],
      undisturbed: { requests: 1, trace: 'undisturbed.html' },
    })
    expect(file('rehearsal.xml')).toMatch(/tests="1" failures="1"/)
  })

  test('unknown presets, and reports that cannot be written', async () => {
    const typo = await rehearsed(['--presets=secret-sealed'], reading)
    expect([typo.exit, typo.error]).toEqual([
      2,
      '--presets: there is no preset "secret-sealed"; did you mean secrets-sealed?',
    ])
    const unknownName = await rehearsed(['--presets=x'], reading)
    expect(unknownName.error).toMatch(
      /^--presets: there is no preset "x"; the presets are secrets-index-behind, /,
    )
    const report = ['--presets=mesh-no-leader', '--report=/dev/null/x']
    expect((await rehearsed(report, reading)).error).toMatch(
      /^--report: cannot write to \/dev\/null\/x/,
    )
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it before the next run', async (signal) => {
    const { exit, stdout } = await rehearsed(['--presets=any-slow'], reading, { signal })
    expect([exit, stdout]).toEqual([signal === 'SIGINT' ? 130 : 143, ''])
  })
})

describe('behaviour/program#commands: hits and retries', () => {
  const request = (path: string, changes: Partial<RehearsedRequest> = {}): RehearsedRequest => ({
    world: 'w',
    service: 'secrets',
    operation: 'read',
    method: 'GET',
    path,
    status: 200,
    outcome: 'served',
    fault: null,
    ...changes,
  })
  const hit = { fault: 'f1', outcome: 'faulted', status: 412 } as const

  // choice/process#rehearsal-hits
  test('requests equal to a failed one count as retries until one is served', () => {
    const requests = [
      request('/a', hit),
      request('/b'),
      request('/a', hit),
      request('/a'),
      request('/a'),
      request('/b', { ...hit, method: 'PUT' }),
      request('/b'),
    ]
    expect(countRequests(requests, wasFaulted)).toEqual({ hits: 3, retries: 2 })
  })

  // choice/process#rehearsal-hits
  test('without faults, a status that the operation never had undisturbed is a hit', () => {
    const baseline = [request('/a'), request('/c', { status: 404, outcome: 'refused' })]
    const sealed = { status: 503, outcome: 'refused' } as const
    const requests = [request('/d', { status: 404, outcome: 'refused' }), request('/a', sealed)]
    expect(countRequests(requests, differsFromBaseline(baseline))).toEqual({ hits: 1, retries: 0 })
  })
})
