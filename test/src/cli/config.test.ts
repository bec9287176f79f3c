import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Command, commands } from '../../../src/cli/commands.ts'
import { type Config, type ProcessVariables, readConfig } from '../../../src/cli/config.ts'
import type { Flag } from '../../../src/cli/flags/flag-types.ts'
import { apiPortNames, flagList, flags, variableOf } from '../../../src/cli/flags/flags.ts'
import { flagTable, helpText } from '../../../src/cli/help.ts'
import { ConfigError } from '../../../src/config-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Returns the configuration of a call other than --help and --version, without a terminal. */
async function config(
  argv: readonly string[],
  environment: ProcessVariables = {},
): Promise<Config> {
  const call = await readConfig(argv, environment, false)
  if ('help' in call || 'version' in call) throw new Error('expected a configuration')
  return call
}

/** Returns the line of text that rejects a call. */
async function refusal(
  argv: readonly string[],
  environment: ProcessVariables = {},
): Promise<string> {
  const error: unknown = await readConfig(argv, environment, false).catch((thrown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${error}`)
  expect(error.message).not.toContain('\n')
  return error.message
}

const defaults: Config = {
  command: 'start',
  program: [],
  files: [],
  warnings: [],
  announcements: [],
  endWithParent: false,
  host: '127.0.0.1',
  port: 4600,
  rootToken: 'root',
  dialect: 'neutral',
  clock: { mode: 'real' },
  worlds: 'off',
  defaultWorld: 'on',
  acl: false,
  rateLimit: false,
  allowedHosts: [],
  allowShutdown: false,
  logLevel: 'info',
  logRequests: 'refused',
  logFormat: 'json',
  traceValues: false,
  tracesTests: false,
  github: false,
  format: 'sh',
  presets: [],
  failUnder: 100,
  timeLimit: 300_000,
  values: false,
  sequences: 200,
  yes: false,
}

const portRule = 'must be a port number from 0 to 65535 (0 = any free one)'
const switchRule = 'must be 1, 0, true or false'
const clockRule =
  'must be real, frozen, frozen@TIME (as 2026-01-02T03:04:05Z) or scaled@RATE (a number above 0, at most 1000000)'
const hostRule = 'must be a host name or address without scheme and port'
const hostsRule = 'must be host names separated by commas, without schemes and ports'

/** Valid texts of a setting with their effect, and invalid texts with the end of the message. */
interface Case {
  readonly good: readonly [text: string, changes: Partial<Config>][]
  readonly bad: readonly [text: string, complaint: string][]
}

const ports = (key: 'port' | (typeof apiPortNames)[number]): Case => ({
  good: [
    ['0', { [key]: 0 }],
    ['65535', { [key]: 65535 }],
  ],
  bad: ['65536', '80x', '1e3', '4600.5', ' 1'].map((text): [string, string] => [
    text,
    `${portRule}, not ${JSON.stringify(text)}`,
  ]),
})

// The type is safe because the keys are generated from these names.
const apiPorts = Object.fromEntries(apiPortNames.map((name) => [name, ports(name)])) as Record<
  (typeof apiPortNames)[number],
  Case
>

const cases: Record<keyof typeof flags, Case> = {
  host: {
    good: [
      ['0.0.0.0', { host: '0.0.0.0' }],
      ['::', { host: '::' }],
      ['[::1]', { host: '::1' }],
      ['box.example.test', { host: 'box.example.test' }],
    ],
    bad: [
      ['http://localhost', `${hostRule}, not "http://localhost"`],
      ['localhost:80', `${hostRule}, not "localhost:80"`],
    ],
  },
  port: ports('port'),
  ...apiPorts,
  rootToken: {
    good: [['s.root', { rootToken: 's.root' }]],
    // The message does not repeat the value, because it may be a secret.
    bad: [['two words', 'must be printable ASCII without spaces']],
  },
  vendor: {
    good: [['1', { dialect: 'vendor', secretsPort: 8200, meshPort: 8500, schedulerPort: 4646 }]],
    bad: [['yes', `${switchRule}, not "yes"`]],
  },
  dialect: {
    good: [['vendor', { dialect: 'vendor' }]],
    bad: [
      ['Vendor', 'must be one of neutral, vendor, not "Vendor"; did you mean vendor?'],
      ['neutrall', 'must be one of neutral, vendor, not "neutrall"; did you mean neutral?'],
      ['swiss', 'must be one of neutral, vendor, not "swiss"'],
    ],
  },
  seed: { good: [['42', { seed: '42' }]], bad: [] },
  clock: {
    good: [
      ['real', { clock: { mode: 'real' } }],
      ['frozen', { clock: { mode: 'frozen' } }],
      ['frozen@1970-01-01T00:00:01.5Z', { clock: { mode: 'frozen', at: 1500 } }],
      ['scaled@60', { clock: { mode: 'scaled', rate: 60 } }],
      ['scaled@0.5', { clock: { mode: 'scaled', rate: 0.5 } }],
    ],
    bad: [
      'stopped',
      'frozen@',
      'frozen@noon',
      'scaled',
      'scaled@0',
      'scaled@-1',
      'scaled@1000001',
      'real@1',
    ].map((text) => [text, `${clockRule}, not "${text}"`]),
  },
  worlds: {
    good: [['auto', { worlds: 'auto' }]],
    bad: [['some', 'must be one of off, auto, not "some"']],
  },
  defaultWorld: {
    good: [['off', { defaultWorld: 'off' }]],
    bad: [['no', 'must be one of on, off, not "no"']],
  },
  fixtures: {
    good: [
      [
        file('state.json', '{"secrets": {"a": 1}}'),
        {
          fixtures: { secrets: { a: 1 } },
          fixturesSource: {
            name: expect.stringMatching(/state\.json$/),
            text: '{"secrets": {"a": 1}}',
            startedAt: expect.any(Number),
          },
        },
      ],
    ],
    bad: [],
  },
  options: {
    good: [['{"secrets": {"sealType": "x"}}', { options: { secrets: { sealType: 'x' } } }]],
    bad: [],
  },
  tls: {
    good: [['true', { tls: {} }]],
    bad: [['yes', `${switchRule}, not "yes"`]],
  },
  tlsDir: { good: [['certs', { tls: { dir: 'certs' } }]], bad: [] },
  // `--tls-cert` and `--tls-key` are only valid together: see the test of naming TLS files.
  tlsCert: { good: [], bad: [['c.pem', 'needs --tls-key, its private key']] },
  tlsKey: {
    good: [],
    bad: [['k.pem', 'needs --tls-cert, the certificate it belongs to']],
  },
  acl: {
    good: [
      ['1', { acl: true }],
      ['TRUE', { acl: true }],
      ['0', { acl: false }],
      ['false', { acl: false }],
    ],
    bad: [['on', `${switchRule}, not "on"`]],
  },
  rateLimit: {
    good: [['true', { rateLimit: true }]],
    bad: [['2', `${switchRule}, not "2"`]],
  },
  allowedHosts: {
    good: [['Mock.Example.test, other', { allowedHosts: ['mock.example.test', 'other'] }]],
    bad: [
      ['a,,b', `${hostsRule}, not "a,,b"`],
      ['http://a', `${hostsRule}, not "http://a"`],
    ],
  },
  controlToken: {
    good: [['t0ken', { controlToken: 't0ken' }]],
    bad: [['t\u00e4', 'must be printable ASCII without spaces']],
  },
  allowShutdown: {
    good: [['1', { allowShutdown: true }]],
    bad: [['no', `${switchRule}, not "no"`]],
  },
  logLevel: {
    good: [['silent', { logLevel: 'silent' }]],
    bad: [['loud', 'must be one of trace, debug, info, warn, error, fatal, silent, not "loud"']],
  },
  logFormat: {
    good: [['pretty', { logFormat: 'pretty' }]],
    bad: [['xml', 'must be one of pretty, json, not "xml"']],
  },
  logRequests: {
    good: [['all', { logRequests: 'all' }]],
    bad: [['some', 'must be one of none, refused, all, not "some"']],
  },
  readyFile: { good: [['ready.json', { readyFile: 'ready.json' }]], bad: [] },
  tokenFile: { good: [['token', { tokenFile: 'token' }]], bad: [] },
  endWithParent: {
    good: [['1', { endWithParent: true }]],
    bad: [['always', `${switchRule}, not "always"`]],
  },
  // The flag alone has no effect; see drop-in.test.ts.
  dropIn: {
    good: [['1', {}]],
    bad: [['maybe', `${switchRule}, not "maybe"`]],
  },
  trace: { good: [['t.html', { trace: 't.html' }]], bad: [] },
  traceValues: {
    good: [['1', { traceValues: true }]],
    bad: [['all', `${switchRule}, not "all"`]],
  },
  writeEnv: { good: [['.env', { writeEnv: '.env' }]], bad: [] },
  url: { good: [['http://a:1', { url: 'http://a:1' }]], bad: [] },
  world: { good: [['w', { world: 'w' }]], bad: [] },
  format: {
    good: [['github', { format: 'github' }]],
    bad: [['yaml', 'must be one of sh, dotenv, json, github, not "yaml"']],
  },
  presets: {
    good: [['any-slow, mesh-no-leader', { presets: ['any-slow', 'mesh-no-leader'] }]],
    bad: [['a,,b', 'must be names separated by commas, not "a,,b"']],
  },
  report: { good: [['out', { report: 'out' }]], bad: [] },
  failUnder: {
    good: [
      ['0', { failUnder: 0 }],
      ['99.5', { failUnder: 99.5 }],
    ],
    bad: ['101', '-1', '50%'].map((text) => [
      text,
      `must be a number from 0 to 100, not "${text}"`,
    ]),
  },
  timeLimit: {
    good: [['1m30s', { timeLimit: 90_000 }]],
    bad: ['0s', '25h', 'soon'].map((text) => [
      text,
      `must be a Go duration from 1ms to 24h, such as 90s or 5m, not "${text}"`,
    ]),
  },
  from: { good: [['https://a:1', { from: 'https://a:1' }]], bad: [] },
  token: {
    good: [['hvs.x', { token: 'hvs.x' }]],
    bad: [['a b', 'must be printable ASCII without spaces']],
  },
  service: {
    good: [['mesh', { service: 'mesh' }]],
    bad: [['platform', 'must be one of secrets, scheduler, mesh, not "platform"']],
  },
  values: {
    good: [['1', { values: true }]],
    bad: [['all', `${switchRule}, not "all"`]],
  },
  against: { good: [['https://a:1', { against: 'https://a:1' }]], bad: [] },
  sequences: {
    good: [
      ['1', { sequences: 1 }],
      ['5000', { sequences: 5000 }],
    ],
    bad: ['0', '-1', 'many', '1.5'].map((text) => [
      text,
      `must be a whole number from 1 to 999999, not "${text}"`,
    ]),
  },
  at: { good: [['r17', { at: 'r17' }]], bad: [] },
  github: {
    good: [['1', { github: true }]],
    bad: [['yes', `${switchRule}, not "yes"`]],
  },
  yes: {
    good: [['true', { yes: true }]],
    bad: [['y', `${switchRule}, not "y"`]],
  },
}

const settings = Object.entries(cases).flatMap(([key, value]) => {
  const flag = flagList[Object.keys(flags).indexOf(key)]
  return flag === undefined ? [] : [{ flag, ...value }]
})
const commandNames = Object.keys(commands) as readonly Command[]

/** Returns a call of a command that has the flag. */
function callWith(flag: Flag<unknown>, ...given: readonly string[]): readonly string[] {
  const [command = 'start'] = flag.commands ?? []
  const isRunner = command === 'exec' || command === 'rehearse'
  const words = command === 'trace' ? ['trace', 'json', 't.html'] : [command]
  return [...words, ...given, ...(isRunner ? ['--', 'ls'] : [])]
}

const validCases = settings.flatMap(({ flag, good }) =>
  good.map(([text, changes]) => ({ flag, name: flag.name, text, changes })),
)
const invalidCases = settings.flatMap(({ flag, bad }) =>
  bad.map(([text, message]) => ({ flag, name: flag.name, text, complaint: message })),
)

describe('behaviour/program#command: settings', () => {
  test('without flags and variables every setting has its default', async () => {
    expect(await config([])).toEqual(defaults)
  })

  test('every flag of the table is covered here', () => {
    expect(settings.map(({ flag }) => flag.name)).toEqual(flagList.map(({ name }) => name))
  })

  test.each(validCases)('--$name=$text', async ({ flag, name, text, changes }) => {
    const flagDefaults = await config(callWith(flag))
    const given = await config(callWith(flag, `--${name}=${text}`))
    expect(given).toEqual({ ...flagDefaults, ...changes })
  })

  test.each(validCases)('the variable of --$name with $text', async ({ flag, text, changes }) => {
    expect(await config([], { [variableOf(flag)]: text })).toEqual({ ...defaults, ...changes })
  })

  test.each(invalidCases)(
    '--$name=$text is refused',
    async ({ flag, name, text, complaint: message }) => {
      expect(await refusal(callWith(flag, `--${name}=${text}`))).toBe(`--${name} ${message}`)
    },
  )

  test.each(invalidCases)('the variable of --$name with $text is refused', async (bad) => {
    // The message about the two TLS files names the flags even if variables set them.
    const origin = bad.name.startsWith('tls-') ? `--${bad.name}` : variableOf(bad.flag)
    const environment = { [variableOf(bad.flag)]: bad.text }
    expect(await refusal([], environment)).toBe(`${origin} ${bad.complaint}`)
  })

  test.each(settings.map(({ flag }) => ({ flag, name: flag.name })))(
    '--$name with and without a value of its own',
    async ({ flag, name }) => {
      const configured = (text: string) => config(callWith(flag, text))
      if (flag.valueName !== undefined) {
        expect(await refusal([`--${name}`])).toContain(`--${name} needs a value: --${name}=`)
        expect(await refusal([`--${name}`, '--acl'])).toContain(`--${name} needs a value`)
        expect(await refusal([`--no-${name}`])).toBe(
          `unknown flag --no-${name}; see understudy --help`,
        )
      } else {
        expect(await configured(`--${name}`)).toEqual(await configured(`--${name}=true`))
        expect(await configured(`--no-${name}`)).toEqual(await config(callWith(flag)))
        expect(await refusal([`--no-${name}=1`])).toBe(
          `unknown flag --no-${name}; see understudy --help`,
        )
      }
    },
  )

  test('the flag wins over its variable', async () => {
    expect(await config(['--port', '1'], { UNDERSTUDY_PORT: '2' })).toEqual({
      ...defaults,
      port: 1,
    })
    expect(await config(['--no-acl'], { UNDERSTUDY_ACL: '1' })).toEqual(defaults)
    expect(await config(['--port', '1'], { UNDERSTUDY_PORT: 'bad' })).toMatchObject({ port: 1 })
  })

  test('an empty variable counts as not set, an empty flag does not', async () => {
    expect(await config([], { UNDERSTUDY_PORT: '', UNDERSTUDY_SEED: '' })).toEqual(defaults)
    expect(await refusal(['--seed='])).toBe('--seed must be a text that is not empty, not ""')
  })

  test('the port variable that Kubernetes sets for a service of that name is not ours', async () => {
    const environment = {
      UNDERSTUDY_PORT: 'tcp://10.0.0.1:4600',
      UNDERSTUDY_SECRETS_PORT: 'tcp://10.0.0.2:8200',
    }
    expect(await config([], environment)).toEqual(defaults)
    expect(await refusal(['--port=tcp://10.0.0.1:4600'])).toContain(`--port ${portRule}`)
  })

  test('a flag given twice: the last counts, lists grow', async () => {
    expect(await config(['--port', '1', '--port', '2'])).toMatchObject({ port: 2 })
    const lists = await config(['--allowed-hosts', 'a', '--allowed-hosts', 'b,c'])
    expect(lists.allowedHosts).toEqual(['a', 'b', 'c'])
  })

  test('two listeners cannot share a port, except 0', async () => {
    expect(await refusal(['--port=80', '--mesh-port=80'])).toBe(
      '--mesh-port and --port are both 80; use different ports',
    )
    expect(await config(['--port=0', '--mesh-port=0'])).toEqual({
      ...defaults,
      port: 0,
      meshPort: 0,
    })
  })

  test('the log is pretty on a terminal', async () => {
    expect(await readConfig([], {}, true)).toEqual({ ...defaults, logFormat: 'pretty' })
    expect(await readConfig(['--log-format=json'], {}, true)).toEqual(defaults)
  })

  test('naming TLS files turns TLS on, --no-tls off again', async () => {
    const given = ['--tls-cert=c.pem', '--tls-key=k.pem']
    const tls = { certFile: 'c.pem', keyFile: 'k.pem' }
    expect(await config(given)).toEqual({ ...defaults, tls })
    expect(await config([...given, '--no-tls'])).toEqual(defaults)
    expect(await config(['--tls-dir=d'], { UNDERSTUDY_TLS: '0' })).toEqual(defaults)
  })
})

describe('behaviour/program#command: commands', () => {
  test.each(['start', 'healthcheck', 'env'] as const)('understudy %s', async (command) => {
    expect(await config(['--port', '1', command])).toEqual({ ...defaults, command, port: 1 })
  })

  test('understudy exec uses free ports and the vendor dialect by default', async () => {
    const free = Object.fromEntries(['port', ...apiPortNames].map((name) => [name, 0]))
    const exec = { ...defaults, ...free, command: 'exec' as const, dialect: 'vendor' as const }
    const logged = { ...exec, logLevel: 'error' as const, program: ['go', 'test', '--port', 'x'] }
    const line = ['--', 'go', 'test', '--port', 'x']
    expect(await config(['exec', ...line])).toEqual(logged)
    const ownVariables = { UNDERSTUDY_DIALECT: 'neutral' }
    expect(await config(['exec', '--mesh-port=1', ...line], ownVariables)).toEqual({
      ...logged,
      meshPort: 1,
      dialect: 'neutral',
    })
  })

  test('understudy rehearse has the flags of the server, with ports for each world', async () => {
    const rehearse = { command: 'rehearse' as const, dialect: 'vendor' as const, port: 0 }
    expect(await config(['rehearse', '--presets=a', '--presets=b', '--', 'ls'])).toEqual({
      ...defaults,
      ...rehearse,
      logLevel: 'error',
      presets: ['a', 'b'],
      program: ['ls'],
    })
  })

  test('understudy trace reads one file', async () => {
    expect(await config(['trace', 'json', 't.html', '--at=r17'])).toEqual({
      ...defaults,
      command: 'trace',
      view: 'json',
      files: ['t.html'],
      at: 'r17',
    })
  })

  test('the variable of --trace with a word for tests is not a file', async () => {
    for (const UNDERSTUDY_TRACE of ['on-failure', 'always', 'never']) {
      const tracesTests = UNDERSTUDY_TRACE !== 'never'
      expect(await config([], { UNDERSTUDY_TRACE })).toEqual({ ...defaults, tracesTests })
    }
    expect(await config(['--trace=always'])).toEqual({ ...defaults, trace: 'always' })
  })

  test('variables and other flags take precedence over --vendor', async () => {
    const { dialect, meshPort, secretsPort } = await config(['--vendor', '--mesh-port=1'], {
      UNDERSTUDY_DIALECT: 'neutral',
    })
    expect({ dialect, meshPort, secretsPort }).toEqual({
      dialect: 'neutral',
      meshPort: 1,
      secretsPort: 8200,
    })
  })

  test('a server that npm started ends with npm by default', async () => {
    const npm = { npm_command: 'exec' }
    expect((await config([], npm)).endWithParent).toBe(true)
    expect((await config(['--no-end-with-parent'], npm)).endWithParent).toBe(false)
  })

  test('variables that are similar to a setting cause a warning', async () => {
    const { warnings } = await config([], {
      UNDERSTUDY_DIALEKT: 'vendor',
      UNDERSTUDY_FIXTURE: 'a.yaml',
      UNDERSTUDY_SECRETS_URL: 'http://a',
      UNDERSTUDY_SCHEDULER_TOKEN: 't',
      UNDERSTUDY_PORT_4600_TCP_PORT: '4600',
      UNDERSTUDY_SERVICE_HOST: '10.0.0.1',
      UNDERSTUDY_SOMETHING_ELSE_ALTOGETHER: '1',
      OTHER: '1',
    })
    expect(warnings).toEqual([
      'UNDERSTUDY_DIALEKT is not a setting; did you mean UNDERSTUDY_DIALECT?',
      'UNDERSTUDY_FIXTURE is not a setting; did you mean UNDERSTUDY_FIXTURES?',
    ])
  })

  test.each([['--help'], ['-h'], ['help'], ['--help', '--port', 'bad']])(
    'help: %s %s %s',
    async (...argv) => {
      const words = argv.filter((word) => word !== undefined)
      expect(await readConfig(words, {}, false)).toEqual({ help: undefined })
    },
  )

  test.each([
    ['exec', '--help'],
    ['help', 'exec'],
    ['--help', 'exec', '--world=a'],
  ])('help of a command: %s %s %s', async (...argv) => {
    const words = argv.filter((word) => word !== undefined)
    expect(await readConfig(words, {}, false)).toEqual({ help: 'exec' })
  })

  test('the help of a command lists its flags; the general help lists the flags of the server', () => {
    expect(helpText('exec')).toMatch(/^Usage: understudy exec .*\n\nStart a server on free ports/)
    expect(helpText('exec')).toContain('  --write-env FILE\n')
    expect(helpText('exec')).not.toContain('  --port PORT\n')
    expect(helpText()).toContain('  --port PORT\n')
    expect(helpText()).not.toContain('  --write-env FILE\n')
  })

  test('no line of the help is wider than 100 columns', () => {
    const lines = [undefined, ...commandNames].flatMap((name) => helpText(name).split('\n'))
    expect(lines.filter((line) => line.length > 100)).toEqual([])
  })

  test('a flag of another command is refused', async () => {
    expect(await refusal(['--write-env=a'])).toBe('--write-env is a flag of exec, not of start')
    expect(await refusal(['exec', '--token=a', '--', 'ls'])).toBe(
      '--token is a flag of capture and compare, not of exec',
    )
    expect(await config([], { UNDERSTUDY_WRITE_ENV: 'a' })).toMatchObject({ writeEnv: 'a' })
  })

  test.each(['--version', '-v'])('version: %s', async (flag) => {
    expect(await readConfig([flag], {}, false)).toEqual({ version: true })
  })

  test.each([
    [
      ['stop'],
      'unknown command "stop"; use start, exec, env, validate, rehearse, compare, capture, trace, healthcheck',
    ],
    [['strat'], 'unknown command "strat"; did you mean start?'],
    [
      ['serve-me'],
      'unknown command "serve-me"; use start, exec, env, validate, rehearse, compare, capture, trace, healthcheck',
    ],
    [['exec'], 'exec needs a command: understudy exec [flags] -- COMMAND ARGS...'],
    [['rehearse'], 'rehearse needs a command: understudy rehearse [flags] -- COMMAND ARGS...'],
    [['exec', '--'], 'exec needs a command: understudy exec [flags] -- COMMAND ARGS...'],
    [
      ['exec', 'ls'],
      'unexpected argument "ls"; put -- before the command: understudy exec [flags] -- ls',
    ],
    [['--', 'ls'], 'start does not run a command; understudy exec does'],
    [['trace'], 'trace needs a file: understudy trace summary FILE, or understudy trace json FILE'],
    [
      ['trace', 'json'],
      'trace needs a file: understudy trace summary FILE, or understudy trace json FILE',
    ],
    [
      ['trace', 'summary', 'a', 'b'],
      'trace reads one file, not 2: understudy trace summary FILE, or understudy trace json FILE',
    ],
    [
      ['trace', 't.html'],
      'trace prints summary or json, not "t.html": understudy trace summary FILE, or understudy trace json FILE',
    ],
    [['start', 'now'], 'unexpected argument "now"; see understudy --help'],
    [['--prot', '1'], 'unknown flag --prot; did you mean --port? see understudy --help'],
    [['--no-tsl'], 'unknown flag --no-tsl; did you mean --tls? see understudy --help'],
    [['--no-help'], 'unknown flag --no-help; see understudy --help'],
    [['-x'], 'unknown flag -x; see understudy --help'],
    [['--constructor'], 'unknown flag --constructor; see understudy --help'],
  ])('%j is refused', async (argv, message) => {
    expect(await refusal(argv)).toBe(message)
  })

  test('a health check reads no documents', async () => {
    const argv = ['healthcheck', '--fixtures=/does/not/exist', '--options=nonsense']
    expect(await config(argv)).toEqual({ ...defaults, command: 'healthcheck' })
  })
})

describe('behaviour/program#command and behaviour/program#fresh-world: fixtures and options', () => {
  const state = { secrets: { names: ['a', 'b'], on: true } }

  test.each([
    ['JSON by name', 'one.json', '{"secrets": {"names": ["a", "b"], "on": true}}'],
    ['YAML by name', 'one.yaml', 'secrets:\n  names: [a, b]\n  on: true\n'],
    ['YAML by its short name', 'one.YML', 'secrets: {names: [a, b], on: true} # a comment'],
    ['JSON by content', 'one', '\n {"secrets": {"names": ["a", "b"], "on": true}}'],
    ['YAML by content', 'two', 'secrets:\n  names: [a, b]\n  on: true\n'],
    ['YAML that looks like JSON', 'three', '{"secrets": {names: [a, b], on: true}} # braces'],
  ])('a file: %s', async (_, name, content) => {
    const path = file(name, content)
    const read = await config(['--fixtures', path])
    const fixturesSource = { name: path, text: content, startedAt: expect.any(Number) }
    expect(read).toEqual({ ...defaults, fixtures: state, fixturesSource })
  })

  test.each([
    ['with a brace in front', ' {"secrets": {"names": ["a", "b"], "on": true}}'],
    ['of several lines', 'secrets:\n  names: [a, b]\n  on: true'],
    ['that is a path', file('in-variable.yaml', 'secrets: {names: [a, b], on: true}')],
  ])('a variable %s', async (_, value) => {
    expect(await config([], { UNDERSTUDY_FIXTURES: value })).toEqual({
      ...defaults,
      fixtures: state,
      fixturesSource: {
        name: value.endsWith('.yaml') ? value : 'UNDERSTUDY_FIXTURES',
        text: expect.stringContaining('names'),
        startedAt: expect.any(Number),
      },
    })
  })

  test.each(['', '# nothing but a comment\n', '{}'])(
    'the document %j is empty',
    async (content) => {
      const read = await config(['--fixtures', file('empty.yaml', content)])
      const fixturesSource = {
        name: expect.any(String),
        text: content,
        startedAt: expect.any(Number),
      }
      expect(read).toEqual({ ...defaults, fixtures: {}, fixturesSource })
    },
  )

  test('keys with a meaning in JavaScript are data', async () => {
    const json = await config(['--fixtures', file('proto.json', '{"__proto__": {"x": 1}}')])
    const yaml = await config(['--fixtures', file('proto.yaml', '__proto__: {x: 1}')])
    expect(JSON.stringify(json.fixtures)).toBe('{"__proto__":{"x":1}}')
    expect(JSON.stringify(yaml.fixtures)).toBe('{"__proto__":{"x":1}}')
  })

  test('a missing file is refused', async () => {
    expect(await refusal(['--fixtures', '/no/such.yaml'])).toBe(
      "--fixtures: cannot read /no/such.yaml (ENOENT: no such file or directory, open '/no/such.yaml')",
    )
    expect(await refusal([], { UNDERSTUDY_FIXTURES: '/no/such.yaml' })).toContain(
      'UNDERSTUDY_FIXTURES: cannot read /no/such.yaml',
    )
    // Only the flag accepts `-` for standard input; the variable reads it as a file name.
    expect(await refusal([], { UNDERSTUDY_FIXTURES: '-' })).toContain('cannot read ./-')
  })

  // A parser that compares every key with every other key would take minutes for this document.
  test('long YAML is announced, and read in time that its length sets', {
    timeout: 120_000,
  }, async () => {
    const stderrTexts: unknown[] = []
    const written = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => stderrTexts.push(text) > 0)
    onTestFinished(() => written.mockRestore())
    const keys = Array.from({ length: 100_000 }, (_, n) => `    key-${n}: a\n`).join('')
    const { fixtures } = await config([`--fixtures=${file('long.yaml', `mesh:\n  a:\n${keys}`)}`])
    expect(fixtures).toMatchObject({ mesh: { a: { 'key-99999': 'a' } } })
    expect(stderrTexts).toEqual(['loading fixtures: …\n'])
    stderrTexts.length = 0
    await config([`--fixtures=${file('short.yaml', 'mesh: {}')}`])
    expect(stderrTexts).toEqual([])
  })

  test.each([
    [
      'bad.json',
      '{"a": 1\n "b"}',
      "not valid JSON: Expected ',' or '}' after property value in JSON at line 2, column 2",
    ],
    ['bad.json', '{"a": }', `not valid JSON: Unexpected token '}', "{"a": }" is not valid JSON`],
    ['bad.yaml', 'a: 1\na: 2\n', 'not valid YAML: Map keys must be unique at line 2, column 1'],
    [
      'bad.yaml',
      'a: {b: 1, c: 2, b: 3}\nd: 1\na: 2\n',
      'not valid YAML: Map keys must be unique at line 1, column 17',
    ],
    [
      'bad.yaml',
      'a: *missing\n',
      'not valid YAML: Unresolved alias (the anchor must be set before the alias): missing',
    ],
    [
      'bad',
      '{a: [1',
      'not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 7',
    ],
    ['bad.yaml', '- a\n', 'must be a mapping at the top level, such as {"options": {...}}'],
    ['bad.json', '[]', 'must be a mapping at the top level, such as {"options": {...}}'],
  ])('a bad document in %s: %j', async (name, content, message) => {
    const path = file(name, content)
    expect(await refusal(['--fixtures', path])).toBe(`--fixtures: ${path}: ${message}`)
  })

  test('bad world options are refused', async () => {
    expect(await refusal(['--options', '{"a": 1,}'])).toBe(
      '--options: not valid JSON: Expected double-quoted property name in JSON at line 1, column 9',
    )
    expect(await refusal([], { UNDERSTUDY_OPTIONS: '[]' })).toBe(
      'UNDERSTUDY_OPTIONS: must be a mapping at the top level, such as {"options": {...}}',
    )
  })
})

describe('behaviour/program#command: variables, help and documents are generated from the table of flags', () => {
  test('every flag has the twin that its name gives', () => {
    expect(variableOf(flags.secretsPort)).toBe('UNDERSTUDY_SECRETS_PORT')
    expect(new Set(flagList.map(variableOf)).size).toBe(flagList.length)
  })

  test('the help names every flag with variable, default and meaning', () => {
    for (const flag of flagList) {
      expect(helpText(flag.commands?.[0])).toContain(
        `${flag.meaning}\n      (${variableOf(flag)}; default: ${flag.defaultText})`,
      )
    }
  })

  test('the tables have a row for every flag, those of a server first', () => {
    const lines = flagTable().split('\n')
    expect(lines.slice(0, 4)).toEqual([
      '## Server',
      '',
      '| Flag and variable | Default | Meaning |',
      '|---|---|---|',
    ])
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      ...[
        '## Server',
        '## start',
        '## exec',
        '## env',
        '## rehearse',
        '## compare',
        '## capture',
        '## trace',
      ],
    ])
    const rows = lines.filter((line) => line.startsWith('| `--'))
    const named = rows.map((row) => /`--([a-z-]+)/.exec(row)?.[1])
    expect(new Set(named)).toEqual(new Set(flagList.map(({ name }) => name)))
    expect(rows[1]).toBe(
      '| `--port PORT`<br>`UNDERSTUDY_PORT` | 4600 | port of the combined listener for all APIs; 0 picks a free one |',
    )
    // An unescaped bar would end the table cell.
    expect(rows).toContain(
      '| `--dialect neutral\\|vendor`<br>`UNDERSTUDY_DIALECT` | neutral | spelling of headers, paths and fields: product-neutral, or as in the products |',
    )
  })
})
