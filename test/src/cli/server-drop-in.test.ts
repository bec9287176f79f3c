import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Config, readConfig } from '../../../src/cli/config.ts'
import { startServer } from '../../../src/cli/server.ts'
import { ConfigError, ProductCallError } from '../../../src/config-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function config(argv: string[], environment: Record<string, string> = {}): Promise<Config> {
  const call = await readConfig(['server', ...argv], environment, false)
  if (!('command' in call)) throw new Error('expected a configuration')
  return call
}

describe('behaviour/program#drop-in: flags of `vault server`', () => {
  test.each([
    [['-dev', '-foo'], 'flag provided but not defined: -foo'],
    [['--dev', '-dev-root-tokenid=x'], 'flag provided but not defined: -dev-root-tokenid'],
    [['-dev', '--foo=1'], 'flag provided but not defined: -foo'],
    [['-dev-root-token-id'], 'flag needs an argument: -dev-root-token-id'],
    [['-dev=maybe'], 'invalid boolean value "maybe" for -dev: parse error'],
    [['-dev', '-log-level=loud'], 'unknown log level: loud'],
    [['-dev-tls', '-dev-tls-cert-dir=/nowhere/x'], 'stat /nowhere/x: no such file or directory'],
    [['-config=/nowhere/x.hcl'], 'error loading configuration from /nowhere/x.hcl: '],
  ])('server %j is refused as the product refuses it', async (argv, message) => {
    const refused = config(argv)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toThrow(ProductCallError)
  })

  test('flags of this program keep their own refusals', async () => {
    const refused = config(['-dev', '--port=x'])
    await expect(refused).rejects.toThrow('--port must be a port number')
    await expect(refused).rejects.toThrow(ConfigError)
  })

  test('known flags without effect are warned about, those for logs are not', async () => {
    const argv = ['-dev', '-dev-ha', '-dev-latency', '5', '-dev-no-store-token', '-log-format=json']
    const { warnings, logLevel } = await config([...argv, '-log-level', 'ERR', '--mesh-port=0'])
    expect(warnings).toEqual(['-dev-ha has no effect', '-dev-latency has no effect'])
    expect(logLevel).toBe('error')
  })

  test('-dev-no-store-token turns the file with the root token off', async () => {
    const environment = { UNDERSTUDY_TOKEN_FILE: '/tmp/token' }
    const fileOf = async (argv: string[]) => (await config(argv, environment)).tokenFile
    expect(await fileOf(['-dev'])).toBe('/tmp/token')
    expect(await fileOf(['-dev', '-dev-no-store-token'])).toBeUndefined()
    expect(await fileOf(['-dev', '-dev-no-store-token=false'])).toBe('/tmp/token')
  })

  test('without an ID the root token is random, unless this program names one', async () => {
    const random = { secrets: { start: 'dev', randomRootToken: true } }
    const named = { secrets: { start: 'dev' } }
    expect((await config(['-dev'])).options).toEqual(random)
    expect((await config(['-dev-root-token-id='])).options).toEqual(random)
    expect((await config(['-dev-root-token-id=a'])).options).toEqual(named)
    expect((await config([], { VAULT_DEV_ROOT_TOKEN_ID: 'a' })).options).toEqual(named)
    const own = await config(['-dev', '--root-token=b'])
    expect([own.options, own.rootToken]).toEqual([named, 'b'])
    const variable = await config(['-dev'], { UNDERSTUDY_ROOT_TOKEN: 'c' })
    expect([variable.options, variable.rootToken]).toEqual([named, 'c'])
  })

  test('-dev-tls serves HTTPS with files of the product’s names, unless --no-tls is given', async () => {
    const environment = { UNDERSTUDY_TLS: '0', UNDERSTUDY_TLS_DIR: '/app/tls' }
    const dir = ['-dev-tls-cert-dir', folder]
    expect((await config(['-dev-tls', ...dir], environment)).tls).toEqual({
      dir: folder,
      filePrefix: 'vault-',
    })
    expect((await config(['-dev-tls'])).tls).toEqual({ dir: undefined, filePrefix: 'vault-' })
    expect((await config(['-dev-tls', '--no-tls'])).tls).toBeUndefined()
    expect((await config(dir)).tls).toBeUndefined()
  })
})

describe('behaviour/program#drop-in: a server that was started as `vault server`', () => {
  test('with -dev-tls, clients trust the CA that the start lines name', async () => {
    const ports = ['--port=0', '--secrets-port=0', '--mesh-port=0', '--scheduler-port=0']
    const dir = `-dev-tls-cert-dir=${folder}`
    const server = await startServer(
      await config(['-dev', '-dev-tls', dir, ...ports, '--log-level=silent']),
    )
    try {
      const { VAULT_ADDR: url = '', VAULT_TOKEN: token = '' } = server.env
      const lines = server.developmentServerLines()
      const at = lines.indexOf(`    $ export VAULT_ADDR='${url}'`)
      const caFile = join(folder, 'vault-ca.pem')
      expect(lines.slice(at + 1, at + 4)).toEqual([`    $ export VAULT_CACERT='${caFile}'`, '', ''])
      expect(lines).toContain(`Root Token: ${token}`)
      expect(token).toMatch(/^hvs\.\w{24}$/)
      expect(new URL(url).protocol).toBe('https:')
      const status = await new Promise((resolve, reject) => {
        const path = `${url}/v1/auth/token/lookup-self`
        const headers = { 'x-vault-token': token }
        const reading = get(path, { ca: readFileSync(caFile), headers }, (reply) => {
          reply.resume()
          resolve(reply.statusCode)
        })
        reading.on('error', reject)
      })
      expect(status).toBe(200)
      expect(existsSync(join(folder, 'vault-key.pem'))).toBe(true)
    } finally {
      await server.close()
    }
  })
})

describe('behaviour/program#drop-in: configuration files of `vault server`', () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  test('the listener’s address and `ui` count, other keys are named once', async () => {
    const path = file(
      'a.hcl',
      `ui = false
      listener "tcp" { address = "127.0.0.1:8777" tls_disable = true }
      storage "inmem" {}
      api_addr = "http://x"`,
    )
    const { options, host, secretsPort, warnings } = await config(['-dev', `-config=${path}`])
    expect([host, secretsPort]).toEqual(['127.0.0.1', 8777])
    expect(options).toEqual({ secrets: { start: 'dev', ui: false, randomRootToken: true } })
    expect(warnings).toEqual(['in the configuration, storage, api_addr has no effect'])
  })

  test('later files win, files of a folder count by name, and flags win over files', async () => {
    mkdirSync(join(folder, 'd'))
    const b = file('d/b.json', '{"listener": {"tcp": {"address": "0.0.0.0:8701"}}}')
    file('d/a.hcl', 'listener "tcp" { address = "127.0.0.1:8700" }\nui = true')
    const read = await config(['-dev', '-config', join(folder, 'd')])
    expect([read.host, read.secretsPort, read.warnings]).toEqual(['0.0.0.0', 8701, []])
    const flag = await config(['-dev', '-config', b, '-dev-listen-address=127.0.0.1:8702'])
    expect([flag.host, flag.secretsPort]).toEqual(['127.0.0.1', 8702])
  })

  test('a syntax error ends the start', async () => {
    const path = file('bad.hcl', 'listener "tcp" {')
    await expect(config(['-config', path])).rejects.toThrow(
      `error loading configuration from ${path}: At 1:18: object expected closing RBRACE got: EOF`,
    )
  })
})
