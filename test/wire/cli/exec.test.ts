import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run, startCommand } from '../../support/command.ts'

/** Returns the arguments that run a line of JavaScript with Node. */
const node = (code: string) => ['--', process.execPath, '-e', code]

const root = fileURLToPath(new URL('../../..', import.meta.url))

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-exec-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('behaviour/program#commands: understudy exec', () => {
  test('the command finds the APIs by the variables of the products', async () => {
    const { code, stdout, stderr } = await run([
      'exec',
      ...node(`
        const { VAULT_ADDR, VAULT_TOKEN, CONSUL_HTTP_ADDR, NOMAD_ADDR, TFE_ADDRESS } = process.env
        const vault = { 'x-vault-token': VAULT_TOKEN }
        Promise.all([
          fetch(VAULT_ADDR + '/v1/auth/token/lookup-self', { headers: vault }),
          fetch(CONSUL_HTTP_ADDR + '/v1/status/leader'),
          fetch(NOMAD_ADDR + '/v1/jobs'),
          fetch(TFE_ADDRESS + '/api/v2/ping'),
        ]).then((replies) => {
          console.log(...replies.map(({ status }) => status))
          console.log(new Set([VAULT_ADDR, CONSUL_HTTP_ADDR, NOMAD_ADDR, TFE_ADDRESS]).size)
        })
      `),
    ])
    expect([code, stdout]).toEqual([0, '200 200 200 204\n4\n'])
    expect(stderr).toMatch(/^understudy: running [\s\S]* against http:\/\/127\.0\.0\.1:\d+\n$/)
  })

  test('the neutral dialect can be selected', async () => {
    const { stdout } = await run([
      'exec',
      '--dialect=neutral',
      ...node(`
        const { UNDERSTUDY_SECRETS_URL: url, UNDERSTUDY_SECRETS_TOKEN: token } = process.env
        fetch(url + '/v1/auth/token/lookup-self', { headers: { 'x-secrets-token': token } })
          .then(({ status }) => console.log(status))
      `),
    ])
    expect(stdout).toBe('200\n')
  })

  test('with TLS, the command receives the CA to trust', async () => {
    const { code, stdout } = await run([
      'exec',
      '--tls',
      ...node(`
        const { VAULT_ADDR, VAULT_CACERT } = process.env
        const ca = require('node:fs').readFileSync(VAULT_CACERT)
        require('node:https').get(VAULT_ADDR + '/v1/sys/health', { ca }, (reply) => {
          console.log(VAULT_ADDR.slice(0, 6), reply.statusCode)
          reply.resume()
        })
      `),
    ])
    expect([code, stdout]).toEqual([0, 'https: 200\n'])
  })

  test('inherited variables cannot send requests or tokens to another server', async () => {
    const received: string[] = []
    const real = createServer((request, reply) => {
      received.push(`${request.method} ${request.url}`)
      reply.end('{}')
    })
    onTestFinished(() => void real.close())
    real.listen(0, '127.0.0.1')
    await once(real, 'listening')
    const { port } = real.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const hostile = {
      VAULT_ADDR: url,
      VAULT_AGENT_ADDR: url,
      VAULT_PROXY_ADDR: url,
      BAO_AGENT_ADDR: url,
      CONSUL_HTTP_ADDR: url,
      CONSUL_NAMESPACE: 'real',
      NOMAD_ADDR: url,
      NOMAD_REGION: 'real',
      TFE_ADDRESS: url,
      TF_TOKEN_app_terraform_io: 'real',
      HTTP_PROXY: url,
      http_proxy: url,
    }
    // Sends a request to each address in the environment, as the products' clients would.
    const program = node(`
      const own = Object.entries(process.env).filter(([name]) =>
        /^(VAULT|BAO|CONSUL|NOMAD|TFE|TF)_/.test(name))
      const addresses = own.map(([, value]) => value).filter((value) => /^http/.test(value))
      Promise.all(addresses.map((address) => fetch(address + '/v1/sys/health'))).then(() => {
        console.log(JSON.stringify(own.map(([name]) => name).sort()))
        console.log(process.env.NO_PROXY, process.env.no_proxy)
      })
    `)
    const { code, stdout, stderr } = await run(['exec', ...program], hostile)
    const [names = '', proxies] = stdout.split('\n')
    expect(code).toBe(0)
    expect(JSON.parse(names)).toEqual([
      'BAO_ADDR',
      'BAO_TOKEN',
      'CONSUL_HTTP_ADDR',
      'CONSUL_HTTP_TOKEN',
      'NOMAD_ADDR',
      'NOMAD_TOKEN',
      'TFE_ADDRESS',
      'TFE_HOSTNAME',
      'TFE_TOKEN',
      'VAULT_ADDR',
      'VAULT_TOKEN',
    ])
    expect(proxies).toBe('localhost,127.0.0.1,::1 localhost,127.0.0.1,::1')
    expect(received).toEqual([])
    expect(stderr).toContain(
      'understudy: variables hidden from the command, because clients might read them: BAO_AGENT_ADDR, CONSUL_NAMESPACE, NOMAD_REGION, TF_TOKEN_app_terraform_io, VAULT_AGENT_ADDR, VAULT_PROXY_ADDR\n',
    )
  })

  test('the exit code is that of the command, and standard input reaches the command', async () => {
    expect((await run(['exec', ...node('process.exit(7)')])).code).toBe(7)
    expect((await run(['exec', ...node("process.kill(process.pid, 'SIGKILL')")])).code).toBe(137)
    const none = await run(['exec', '--', 'no-such-command', '-x'])
    expect([none.code, none.stderr.split('\n')[1]]).toEqual([
      127,
      'understudy: cannot run no-such-command: command not found',
    ])
    const folder = temporary()
    expect((await run(['exec', '--', folder])).code).toBe(126)
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s is passed to the command, and the server ends',
    async (signal) => {
      const call = startCommand([
        'exec',
        ...node(`
        process.on('${signal}', () => process.exit(3))
        console.log(process.env.VAULT_ADDR)
        setInterval(() => {}, 1000)
      `),
      ])
      const url = await call.line
      expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200)
      call.kill(signal)
      expect((await call.ended).code).toBe(3)
      await expect(fetch(url)).rejects.toThrow()
    },
  )

  test('--write-env writes the variables to a file before the command starts', async () => {
    const file = join(temporary(), '.env')
    const read = node(
      `console.log(require('node:fs').readFileSync('${file}', 'utf8').includes(process.env.VAULT_ADDR))`,
    )
    expect((await run(['exec', '--write-env', file, ...read])).stdout).toBe('true\n')
    expect(readFileSync(file, 'utf8')).toMatch(/^VAULT_ADDR=.?http/m)
    const bad = await run(['exec', '--write-env', join(file, 'x'), ...read])
    expect([bad.code, bad.stdout]).toEqual([2, ''])
    expect(bad.stderr).toMatch(/^understudy: --write-env: cannot write .+\n$/)
  })

  test.each([
    [['exec'], 'exec needs a command: understudy exec [flags] -- COMMAND ARGS...'],
    [
      ['exec', '--dialect=latin', '--', 'true'],
      '--dialect must be one of neutral, vendor, not "latin"',
    ],
    [['exec', '--options={"secrets":{"x":1}}', '--', 'true'], '/secrets/x'],
  ])('%j prints one line and exits with 2', async (argv, text) => {
    const { code, stdout, stderr } = await run(argv)
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1])
    expect(stderr).toContain(text)
  })
})

describe('behaviour/program#command: a server that was started by npm', () => {
  test('the server ends when npm is killed', async () => {
    const folder = temporary()
    const cli = join(root, 'dist/src/cli.js')
    const scripts = { start: `node ${cli} --port 0 --log-level silent` }
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'x', version: '1.0.0', scripts }),
    )
    const npm = spawn('npm', ['start', '--silent'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void npm.kill('SIGKILL'))
    const [line] = await once(npm.stdout.setEncoding('utf8'), 'data')
    const [, url = ''] = /secrets=(\S+)/.exec(String(line)) ?? []
    expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200)
    npm.kill('SIGTERM')
    // The output of npm stays open as long as the server runs.
    await once(npm.stdout, 'close')
    await expect(fetch(`${url}/v1/sys/health`)).rejects.toThrow()
  }, 20_000)
})

describe('behaviour/program#command: unknown variables', () => {
  test('an unknown variable causes a warning if its name resembles that of a setting', async () => {
    const { stderr } = await run(['exec', '--', 'true'], { UNDERSTUDY_DIALEKT: 'vendor' })
    expect(stderr.split('\n')[0]).toBe(
      'understudy: warning: UNDERSTUDY_DIALEKT is not a setting; did you mean UNDERSTUDY_DIALECT?',
    )
  })
})
