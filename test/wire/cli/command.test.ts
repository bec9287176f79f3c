import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { apiNames } from '../../../src/api-names.ts'
import { command, isOtherProgram, run, start } from '../../support/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

/** Returns a port that was just free, for commands that need a number other than 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Returns the status of a token's lookup of itself: 200 if the server knows the token. */
async function rootStatus(origin: string, token: string): Promise<number> {
  const url = `${origin}/v1/auth/token/lookup-self`
  return (await fetch(url, { headers: { 'x-secrets-token': token } })).status
}

describe('behaviour/program#command: the ready line', () => {
  test('all APIs share one port and answer as soon as the line is printed', async () => {
    const { readyLine, origins } = await start(['start', '--port=0'])
    const { origin } = new URL(origins.secrets)
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(readyLine).toBe(
      `Ready. ${apiNames.map((name) => `${name}=${origin}`).join(' ')} control=${origin}/_mock`,
    )
    const paths = ['/v1/sys/health', '/_mock/ready']
    const replies = await Promise.all(paths.map((path) => fetch(origin + path)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
  })

  test('the ready line is the only standard output, and the log is written to standard error', async () => {
    const { readyLine, origins, stop } = await start(['--port=0', '--log-level=trace'])
    await fetch(`${origins.secrets}/v1/sys/health`)
    const { stdout, stderr } = await stop('SIGTERM')
    expect(stdout).toBe(`${readyLine}\n`)
    const entries = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries).toContainEqual(
      expect.objectContaining({ req: expect.objectContaining({ url: '/v1/sys/health' }) }),
    )
  })

  // choice/process#control-listener
  test('an API with its own port appears with that port, and no other API answers there', async () => {
    const { origins } = await start(['--port=0', ...apiNames.map((name) => `--${name}-port=0`)])
    const { secrets, platform, control } = origins
    expect(new Set(Object.values(origins)).size).toBe(apiNames.length + 1)
    expect((await fetch(`${secrets}/v1/sys/health`)).status).toBe(200)
    // The secrets API still answers on the combined listener, but not on another API's port.
    expect((await fetch(`${control}/v1/sys/health`)).status).toBe(200)
    expect((await fetch(`${platform}/v1/sys/health`)).status).toBe(404)
    expect((await fetch(`${secrets}/_mock/health`)).status).toBe(404)
  })

  test('the jobs API serves some paths on the shared port, and all paths on its own port', async () => {
    const { origins } = await start(['--port=0', '--scheduler-port=0', '--acl'])
    const headers = { 'x-sched-token': 'scheduler-management-token' }
    const ask = (origin: string, path: string) => fetch(`${origin}/v1/${path}`, { headers })
    for (const origin of [origins.secrets, origins.scheduler]) {
      const listed = await ask(origin, 'jobs')
      expect([listed.status, await listed.json()]).toEqual([200, []])
      expect((await fetch(`${origin}/v1/jobs`)).status).toBe(403)
      expect(await (await ask(origin, 'job/none')).text()).toBe('job not found')
    }
    expect(await (await ask(origins.scheduler, 'status/leader')).json()).toBe('127.0.0.1:4647')
    // On the secrets port the path belongs to the secrets API, which does not know the token.
    expect((await ask(origins.secrets, 'status/leader')).status).toBe(403)
  })

  test('the mesh API serves some paths on the shared port, and all paths on its own port', async () => {
    const { origins } = await start(['--port=0', '--mesh-port=0', '--acl'])
    const headers = { 'x-mesh-token': 'mesh-management-token' }
    const names = async (origin: string) =>
      (await fetch(`${origin}/v1/namespaces`, { headers })).json()
    const [shared, own] = [await names(origins.secrets), await names(origins.mesh)]
    expect(shared).toMatchObject([{ Name: 'default' }])
    expect(own).toEqual(shared)
    const policies = (origin: string) => fetch(`${origin}/v1/acl/policies`, { headers })
    expect((await policies(origins.mesh)).status).toBe(200)
    // On the secrets port the path belongs to the secrets API, which does not know the token.
    expect((await policies(origins.secrets)).status).toBe(403)
  })

  test('the platform API answers on its own listener, where the secrets API does not', async () => {
    const { origins } = await start(['--port=0', '--platform-port=0'])
    expect(origins.platform).not.toBe(origins.secrets)
    const ping = await fetch(`${origins.platform}/api/v2/ping`)
    expect(ping.status).toBe(204)
    const wrongApiReply = await fetch(`${origins.platform}/v1/sys/health`)
    expect([wrongApiReply.status, await wrongApiReply.json()]).toEqual([
      404,
      { errors: [{ status: '404', title: 'not found' }] },
    ])
  })

  test('a path that no API owns returns 404 with an empty list of errors', async () => {
    const { origins } = await start(['--port=0'])
    const reply = await fetch(`${origins.control}/nothing/here`)
    expect(reply.status).toBe(404)
    expect(await reply.text()).toBe('{"errors":[]}')
  })

  test('two servers on one machine are independent', async () => {
    const [one, two] = await Promise.all([
      start(['--port=0', '--root-token=first']),
      start(['--port=0', '--root-token=second']),
    ])
    expect(await rootStatus(one.origins.secrets, 'first')).toBe(200)
    expect(await rootStatus(one.origins.secrets, 'second')).toBe(403)
    expect(await rootStatus(two.origins.secrets, 'second')).toBe(200)
    expect(await one.stop('SIGTERM')).toMatchObject({ code: 0 })
    expect(await rootStatus(two.origins.secrets, 'second')).toBe(200)
  })

  test('environment variables set options, and flags override them', async () => {
    const variables = { UNDERSTUDY_PORT: '0', UNDERSTUDY_ROOT_TOKEN: 'from-variable' }
    const one = await start([], variables)
    expect(await rootStatus(one.origins.secrets, 'from-variable')).toBe(200)
    const two = await start(['--root-token=from-flag'], variables)
    expect(await rootStatus(two.origins.secrets, 'from-flag')).toBe(200)
    expect(await rootStatus(two.origins.secrets, 'from-variable')).toBe(403)
  })
})

describe('behaviour/program#command: on a terminal', () => {
  const isThere = existsSync('/usr/bin/script')

  test.skipIf(!isThere)('the lines to copy follow the ready line', async () => {
    const line = [...command, '--port=0', '--dialect=vendor'].join(' ')
    const terminal = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] },
    })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    let shown = ''
    for await (const chunk of terminal.stdout) {
      shown += chunk
      if (/export NOMAD_ADDR=\S+ NOMAD_TOKEN=\S+\r\n/.test(shown)) break
    }
    expect(shown.match(/^Ready\. .*$/gm)?.length).toBe(1)
    const [, url] = /^Ready\. secrets=(\S+)/m.exec(shown) ?? []
    expect(shown).toContain(`export VAULT_ADDR=${url} VAULT_TOKEN=root\r\n`)
  })
})

describe('behaviour/program#command: --ready-file', () => {
  test('the file contains /_mock/info once the ready line is printed, and replaces an older file', async () => {
    const readyFile = join(folder, 'ready.json')
    writeFileSync(readyFile, 'stale')
    const { origins } = await start(['--port=0', `--ready-file=${readyFile}`])
    const info = await (await fetch(`${origins.control}/_mock/info`)).json()
    expect(JSON.parse(readFileSync(readyFile, 'utf8'))).toEqual(info)
    expect(info).toMatchObject({
      name: 'infra-understudy',
      version,
      services: { secrets: { url: origins.secrets, token: 'root' } },
    })
    // The temporary file was renamed, so only the ready file remains.
    expect(readdirSync(folder).filter((name) => name.startsWith('ready.json'))).toEqual([
      'ready.json',
    ])
  })

  test('behaviour/program#worlds-for-clients: the file contains the ports of APIs with their own port', async () => {
    const readyFile = join(folder, 'ports.json')
    const argv = ['--port=0', '--secrets-port=0', '--scheduler-port=0']
    const { origins } = await start([...argv, `--ready-file=${readyFile}`])
    const { services } = JSON.parse(readFileSync(readyFile, 'utf8'))
    const urls = Object.entries<{ url: string }>(services).map(([name, { url }]) => [name, url])
    const { control, ...apis } = origins
    expect(Object.fromEntries(urls)).toEqual(apis)
    expect(new Set(Object.values(apis)).size).toBe(3)
    expect(control).toBe(apis.mesh)
  })

  test('a server keeps running if nothing reads its output', async () => {
    const readyFile = join(folder, 'unread.json')
    const [program, ...args] = [...command, '--port=0', `--ready-file=${readyFile}`]
    const server = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    server.stdout.destroy()
    await vi.waitFor(() => expect(existsSync(readyFile)).toBe(true), { timeout: 20_000 })
    const { services } = JSON.parse(readFileSync(readyFile, 'utf8'))
    expect((await fetch(`${services.secrets.url}/v1/sys/health`)).status).toBe(200)
    expect(server.exitCode).toBeNull()
  }, 30_000)

  test('a failed start removes the older file and writes no new one', async () => {
    const readyFile = join(folder, 'failed.json')
    writeFileSync(readyFile, 'stale')
    const argv = ['--port=0', `--ready-file=${readyFile}`, '--host=192.0.2.1']
    expect(await run(argv)).toMatchObject({ code: 2, stdout: '' })
    expect(existsSync(readyFile)).toBe(false)
  })

  test('the start fails if the file cannot be written', async () => {
    const readyFile = join(folder, 'none', 'ready.json')
    const { code, stdout, stderr } = await run([
      '--port=0',
      '--log-level=silent',
      `--ready-file=${readyFile}`,
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^understudy: --ready-file: cannot write \S+ \(ENOENT: .+\)\n$/)
  })
})

describe('behaviour/program#command: shutdown', () => {
  // choice/process#exit-codes
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s closes idle connections and exits with 0',
    async (signal) => {
      const { origins, stop } = await start()
      const idle = connect(Number(new URL(origins.control).port), '127.0.0.1')
      await once(idle, 'connect')
      idle.write('GET /v1/sys/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await once(idle, 'data')
      idle.resume()
      const closed = once(idle, 'close')
      expect(await stop(signal)).toMatchObject({ code: 0 })
      await closed
    },
  )

  // choice/process#exit-codes
  test('a second signal ends the server at once', async () => {
    const { origins, stop } = await start()
    // The server cannot release a request with an incomplete body, so closing waits for the client.
    const halfOpenSocket = connect(Number(new URL(origins.control).port), '127.0.0.1')
    await once(halfOpenSocket, 'connect')
    halfOpenSocket.write(
      'POST /v1/secret/data/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{',
    )
    halfOpenSocket.on('error', () => {})
    await (await fetch(`${origins.control}/_mock/health`)).text()
    expect(await stop('SIGTERM', 'SIGINT')).toMatchObject({ code: 1 })
  })

  test('POST /_mock/shutdown ends the server if a flag allows it', async () => {
    const { origins, ended } = await start(['--port=0', '--allow-shutdown'])
    const reply = await fetch(`${origins.control}/_mock/shutdown`, { method: 'POST' })
    expect(reply.ok).toBe(true)
    expect(await ended).toMatchObject({ code: 0 })
  })
})

describe('behaviour/program#command: a failed start', () => {
  // choice/process#exit-codes
  test.each([
    [['--prot=1'], 'unknown flag --prot; did you mean --port? see understudy --help'],
    [
      ['stop'],
      'unknown command "stop"; use start, exec, env, validate, rehearse, compare, capture, trace, healthcheck',
    ],
    [
      ['--port=70000'],
      '--port must be a port number from 0 to 65535 (0 = any free one), not "70000"',
    ],
    [
      ['--fixtures=/no/such.json'],
      "--fixtures: cannot read /no/such.json (ENOENT: no such file or directory, open '/no/such.json')",
    ],
  ])('%j prints one line and exits with 2', async (argv, line) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: `understudy: ${line}\n` })
  })

  test.each([
    ['a part that does not exist', { nonsense: {} }],
    ['an option that does not exist', { options: { secrets: { nonsense: true } } }],
  ])('fixtures with %s print one line and exit with 2', async (_, fixtures) => {
    const variables = { UNDERSTUDY_FIXTURES: JSON.stringify(fixtures) }
    const { code, stdout, stderr } = await run(['--port=0', '--log-level=silent'], variables)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    // On a busy machine, progress messages about loading precede the error.
    expect(stderr).toMatch(/^(?:loading fixtures: .*\n)*understudy: .*nonsense.*\n$/)
  })

  test.each(['--port', '--mesh-port'])(
    'if the port of %s is in use, one line names the flag and the exit code is 2',
    async (flag) => {
      const { origins } = await start()
      const { port } = new URL(origins.control)
      const argv = ['--log-level=silent', ...(flag === '--port' ? [] : ['--port=0'])]
      expect(await run([...argv, `${flag}=${port}`])).toEqual({
        code: 2,
        stdout: '',
        stderr: `understudy: port ${port} is already in use; choose another one, or 0 for any free one\n`,
      })
    },
  )
})

describe('behaviour/program#command: --tls', () => {
  /** Returns the status of a request by a client that trusts only this CA. */
  async function verifiedStatus(url: string, caFile: string): Promise<number | undefined> {
    const clientRequest = get(url, {
      ca: readFileSync(caFile),
      rejectUnauthorized: true,
      agent: false,
    })
    const [response] = await once(clientRequest, 'response')
    response.resume()
    return response.statusCode
  }

  test('clients that trust the CA in --tls-dir verify every listener', async () => {
    const dir = join(folder, 'tls')
    const caFile = join(dir, 'ca.pem')
    const { origins } = await start(['--port=0', '--secrets-port=0', '--tls', `--tls-dir=${dir}`])
    expect(origins.control).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await verifiedStatus(`${origins.control}/_mock/health`, caFile)).toBe(200)
    expect(await verifiedStatus(`${origins.secrets}/v1/sys/health`, caFile)).toBe(200)
    const { port } = new URL(origins.control)
    expect(await verifiedStatus(`https://localhost:${port}/v1/sys/health`, caFile)).toBe(200)
    await expect(fetch(`${origins.control}/_mock/health`)).rejects.toThrow('fetch failed')

    expect(await run(['healthcheck', '--tls', `--tls-dir=${dir}`, `--port=${port}`])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('without --tls-dir, the log contains the path of the CA, whose folder is removed at the end', async () => {
    const { origins, stop } = await start(['--port=0', '--tls'])
    const { port } = new URL(origins.control)
    expect(await run(['healthcheck', '--tls', `--port=${port}`])).toMatchObject({ code: 0 })
    const { stderr } = await stop('SIGTERM')
    const [caFile = ''] = /[^" ]+\/understudy-tls-\w+\/ca\.pem/.exec(stderr) ?? []
    expect(caFile).not.toBe('')
    expect(existsSync(join(caFile, '..'))).toBe(false)
  })
})

describe('behaviour/program#commands: understudy env', () => {
  test('the command prints the environment of a running server or of one of its worlds', async () => {
    const { origins } = await start(['--port=0', '--dialect=vendor'])
    const { port } = new URL(origins.control)
    const ended = await run(['env', '--port', port])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const [, address = ''] = /^export VAULT_ADDR='(.+)'$/m.exec(ended.stdout) ?? []
    expect(ended.stdout).toMatch(/^unset VAULT_AGENT_ADDR$/m)
    expect((await fetch(`${address}/v1/sys/health`)).status).toBe(200)
    const body = '{"listen": {"secrets": 0}}'
    const created = await fetch(`${origins.control}/_mock/worlds/w`, { method: 'PUT', body })
    const { info } = JSON.parse(await created.text())
    const argv = ['env', '--url', `${origins.control}/`, '--world=w', '--format=json']
    const { code, stdout } = await run(argv)
    const { VAULT_ADDR, NOMAD_ADDR } = JSON.parse(stdout)
    expect([code, VAULT_ADDR]).toEqual([0, info.services.secrets.url])
    expect((await fetch(`${NOMAD_ADDR}/v1/nodes`)).status).toBe(200)
    const byPrefix = await run(['env', `--url=${origins.control}/_world/w`, '--format=json'])
    expect(JSON.parse(byPrefix.stdout)).toEqual(JSON.parse(stdout))
  })

  test('the exit code is 1 if the world or server does not exist, and 2 if the address is invalid', async () => {
    const { origins, stop } = await start(['--port=0'])
    const url = origins.control
    expect(await run(['env', '--url', url, '--world', 'w'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `no environment: ${url}/_mock/worlds/w/env?format=json answered 404: there is no world "w"\n`,
    })
    expect(await run(['env', '--url', 'localhost:1'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'understudy: --url must be the address of a server, such as http://127.0.0.1:4600\n',
    })
    await stop('SIGTERM')
    const { code, stdout, stderr } = await run(['env', '--url', url])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^no environment: \S+ did not answer: .*ECONNREFUSED[^\n]*\n$/)
  })

  test('the command supports TLS and a control token', async () => {
    const { origins } = await start([
      '--port=0',
      '--tls',
      '--control-token=t0ken',
      '--log-level=error',
    ])
    const argv = ['env', '--url', origins.control, '--control-token=t0ken', '--format=dotenv']
    const { code, stdout } = await run(argv)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^VAULT_CACERT=\S+ca\.pem$/m)
    expect((await run(argv.slice(0, 3))).code).toBe(1)
  })
})

describe('behaviour/program#command: understudy healthcheck', () => {
  test('the exit code is 0 while the server runs; otherwise it is 1, with one line', async () => {
    const port = String(await freePort())
    const { stop } = await start([], { UNDERSTUDY_PORT: port })
    const healthy = { code: 0, stdout: '', stderr: '' }
    expect(await run(['healthcheck', '--port', port])).toEqual(healthy)
    expect(await run(['healthcheck'], { UNDERSTUDY_PORT: port })).toEqual(healthy)
    await stop('SIGTERM')
    expect(await run(['healthcheck', '--port', port])).toEqual({
      code: 1,
      stdout: '',
      stderr: `unhealthy: http://127.0.0.1:${port}/_mock/health did not answer: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    })
  })

  test('the command sends the control token', async () => {
    const { origins } = await start(['--port=0', '--control-token=t0ken'])
    const { port } = new URL(origins.control)
    const argv = ['healthcheck', `--port=${port}`, '--control-token=t0ken']
    expect(await run(argv)).toMatchObject({ code: 0 })
  })
})

describe('behaviour/program#command: --help and --version', () => {
  test('--version prints the version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('--help prints the usage', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: understudy \[start\] \[flags\]\n/)
  })

  // Other programs do not log the modules they load.
  test.skipIf(isOtherProgram)('--help, --version and healthcheck load no server', async () => {
    // Makes Node log each CommonJS module it loads, such as the server, on standard error.
    const variables = { NODE_DEBUG: 'module' }
    for (const argv of [['--help'], ['--version'], ['healthcheck', '--port=1']]) {
      const { stderr } = await run(argv, variables)
      expect(stderr).toContain('MODULE')
      expect(stderr).not.toContain('dist/src/understudy.cjs')
    }
    const { stop } = await start(['--port=0', '--log-level=silent'], variables)
    expect((await stop('SIGTERM')).stderr).toContain('dist/src/understudy.cjs')
  })

  test.skipIf(isOtherProgram)(
    'behaviour/program#figures: a start uses compiled code only if this build of Node compiled it',
    async () => {
      const asksForProgram = /REQUEST \S+understudy\.cjs/
      const loaded = async (variables: Readonly<Record<string, string>>) => {
        const { stop } = await start(['--port=0'], { NODE_DEBUG: 'module', ...variables })
        return (await stop('SIGTERM')).stderr
      }
      expect(await loaded({})).not.toMatch(asksForProgram)
      // Another V8 flag has the effect of another Node: the program is loaded from its source.
      expect(await loaded({ NODE_OPTIONS: '--stack-trace-limit=11' })).toMatch(asksForProgram)
    },
  )
})

describe('behaviour/program#drop-in: the server in place of a product', () => {
  test('server -dev prints the lines that test helpers wait for, before the ready line', async () => {
    const ports = ['--port=0', '--secrets-port=0', '--mesh-port=0', '--scheduler-port=0']
    const { origins, readyLine, stop } = await start(['server', '-dev', ...ports], {
      VAULT_DEV_ROOT_TOKEN_ID: 'toor',
    })
    const headers = { 'x-vault-token': 'toor' }
    const reply = await fetch(`${origins.secrets}/v1/auth/token/lookup-self`, { headers })
    expect(reply.status).toBe(200)
    const sealed = await fetch(`${origins.secrets}/v1/sys/seal`, { method: 'PUT', headers })
    expect(sealed.status).toBe(204)
    const info: { services: { secrets: { unsealKeys: string[] } } } = await (
      await fetch(`${origins.control}/_mock/info`)
    ).json()
    const [key = ''] = info.services.secrets.unsealKeys
    const body = JSON.stringify({ key: Buffer.from(key, 'hex').toString('base64') })
    const unsealed = await fetch(`${origins.secrets}/v1/sys/unseal`, { method: 'PUT', body })
    expect(await unsealed.json()).toMatchObject({ sealed: false, t: 1, n: 1 })
    const { stdout } = await stop('SIGTERM')
    const lines = stdout.split('\n')
    const started = lines.indexOf('==> Vault server started! Log data will stream in below:')
    const keyLine = lines.indexOf(`Unseal Key: ${Buffer.from(key, 'hex').toString('base64')}`)
    expect(lines).toContain(`             Api Address: ${origins.secrets}`)
    expect(started).toBeGreaterThan(0)
    expect(keyLine).toBeGreaterThan(started)
    expect(lines.slice(keyLine + 1)).toEqual([
      'Root Token: toor',
      '',
      'Development mode should NOT be used in production installations!',
      '',
      readyLine,
      '',
    ])
  })
})

describe('behaviour/program#drop-in: commands of the products', () => {
  test('a flag that `vault server` does not have ends with its text and exit code', async () => {
    expect(await run(['server', '-dev', '-foo'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'flag provided but not defined: -foo\n',
    })
  })

  test('exec runs vault and passes on its exit code and streams', async () => {
    const { origins } = await start(['--port=0', '--dialect=vendor'])
    const variables = { VAULT_ADDR: origins.secrets }
    expect(await run(['as', 'vault', 'kv', 'put', 'secret/a', 'b=c'], variables)).toEqual({
      code: 0,
      stdout: 'Success! Data written to: secret/data/a\n',
      stderr: '',
    })
    const { code, stdout, stderr } = await run(['as', 'vault', '--version'], variables)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^vault --version is not supported here; [^\n]+\n$/)
  })
})
