import { webcrypto } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import { afterAll, describe, expect, test } from 'vitest'
import { type Config, readConfig } from '../../../src/cli/config.ts'
import { startServer } from '../../../src/cli/server.ts'
import { ConfigError, ProductCallError } from '../../../src/config-error.ts'
import { issueCertificate } from '../../../src/server/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function config(argv: string[], environment: Record<string, string> = {}): Promise<Config> {
  const call = await readConfig(['server', ...argv], environment, false)
  if (!('command' in call)) throw new Error('expected a configuration')
  return call
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

/** Issues a client certificate that is its own CA, as PEM texts. */
async function selfSigned() {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=client',
    keys,
    signingAlgorithm: algorithm,
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') }
}

/** Sends a request over TLS on a connection of its own. Returns the status and the body. */
function exchange(url: string, options: RequestOptions, body = ''): Promise<[number, unknown]> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { agent: false, ...options }, (reply) => {
      let text = ''
      reply.on('data', (chunk) => {
        text += String(chunk)
      })
      reply.on('end', () => resolve([reply.statusCode ?? 0, JSON.parse(text)]))
    })
    sending.on('error', reject)
    sending.end(body)
  })
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
      const lines = server.productLines('development')
      const at = lines.indexOf(`    $ export VAULT_ADDR='${url}'`)
      const caFile = join(folder, 'vault-ca.pem')
      expect(lines.slice(at + 1, at + 4)).toEqual([`    $ export VAULT_CACERT='${caFile}'`, '', ''])
      expect(lines).toContain(`Root Token: ${token}`)
      expect(token).toMatch(/^hvs\.\w{24}$/)
      expect(new URL(url).protocol).toBe('https:')
      const [status] = await exchange(`${url}/v1/auth/token/lookup-self`, {
        ca: readFileSync(caFile),
        headers: { 'x-vault-token': token },
      })
      expect(status).toBe(200)
      expect(existsSync(join(folder, 'vault-key.pem'))).toBe(true)
    } finally {
      await server.close()
    }
  })
})

describe('behaviour/program#drop-in: configuration files of `vault server`', () => {
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

describe('behaviour/program#drop-in: `vault server` without `-dev`', () => {
  const ports = ['--port=0', '--secrets-port=0', '--mesh-port=0', '--scheduler-port=0']
  const listenerFiles = async () => {
    const server = await issueCertificate(['127.0.0.1'])
    const certFile = file('server.crt', server.cert)
    const keyFile = file('server.key', server.key)
    const client = await selfSigned()
    const clientCaFile = file('ca.crt', client.cert)
    return { server, client, certFile, keyFile, clientCaFile }
  }

  test('`ui = true` switches the page on', async () => {
    const path = file('ui.hcl', 'ui = true\nlistener "tcp" { tls_disable = true }')
    const { options } = await config(['-config', path])
    expect(options).toMatchObject({ secrets: { ui: true } })
  })

  test('the configured certificates count, and no flag of a development server is given', async () => {
    const { certFile, keyFile, clientCaFile } = await listenerFiles()
    const path = file(
      'tls.hcl',
      `listener "tcp" {
        address = "127.0.0.1:8777"
        tls_cert_file = "${certFile}"
        tls_key_file = "${keyFile}"
        tls_client_ca_file = "${clientCaFile}"
        tls_require_and_verify_client_cert = "true"
      }`,
    )
    const configured = await config(['-config', path])
    expect(configured.options).toEqual({
      secrets: { start: 'bare', initialized: false, ui: false, randomRootToken: true },
    })
    expect(configured.tls).toEqual({
      certFile,
      keyFile,
      clientCaFile,
      requiresClientCertificate: true,
    })
    expect(configured.startLines).toBe('configured')
    for (const flag of ['-dev', '-dev-kv-v1', '-dev-ha']) {
      const development = await config([flag, '-config', path])
      expect([development.tls, development.startLines]).toEqual([undefined, 'development'])
    }
    const plain = file('plain.hcl', `${readFileSync(path, 'utf8').slice(0, -1)}tls_disable = 1\n}`)
    expect((await config(['-config', plain])).tls).toBeUndefined()
  })

  test('names of cluster and plug-ins count, a root token does not and is written to no file', async () => {
    const path = file('names.hcl', 'cluster_name = "c"\nplugin_directory = "/plugins"')
    const read = await config(['-config', path], {
      UNDERSTUDY_TOKEN_FILE: '/tmp/token',
      VAULT_DEV_LISTEN_ADDRESS: '127.0.0.1:1',
      VAULT_DEV_ROOT_TOKEN_ID: 'a',
    })
    const names = { pluginDirectory: '/plugins', clusterName: 'c' }
    expect(read.options).toMatchObject({ secrets: { initialized: false, ...names } })
    expect([read.secretsPort, read.tokenFile]).toEqual([8200, undefined])
    expect(read.warnings).toEqual([
      'You cannot specify a custom root token ID outside of "dev" mode. Your request has been ignored.',
    ])
    const development = await config(['-dev', '-config', path])
    expect(development.options).toMatchObject({ secrets: { start: 'dev', ...names } })
  })

  test('VAULT_LOCAL_CONFIG is a configuration, whose settings files override', async () => {
    const listener = [{ tcp: { address: '0.0.0.0:8779', tls_disable: 1 } }]
    const environment = { VAULT_LOCAL_CONFIG: JSON.stringify({ listener, ui: true }) }
    const { options, secretsPort } = await config([], environment)
    expect(options).toMatchObject({ secrets: { start: 'bare', initialized: false, ui: true } })
    expect(secretsPort).toBe(8779)
    const path = file('other.hcl', 'listener "tcp" { address = "0.0.0.0:8780" }')
    expect((await config(['-config', path], environment)).secretsPort).toBe(8780)
    await expect(config([], { VAULT_LOCAL_CONFIG: '{' })).rejects.toThrow(
      'error loading configuration from VAULT_LOCAL_CONFIG: ',
    )
  })

  test('a certificate that cannot be read ends the start', async () => {
    const path = file(
      'missing.hcl',
      'listener "tcp" {\n tls_cert_file = "/nowhere/a.crt"\n tls_key_file = "/nowhere/a.key"\n}',
    )
    await expect(config(['-config', path])).rejects.toThrow(
      'Error initializing listener of type tcp: error loading TLS cert: open /nowhere/a.crt: no such file or directory',
    )
  })

  test('clients with a certificate initialize and unseal it, others are refused', async () => {
    const { server: issued, client, certFile, keyFile, clientCaFile } = await listenerFiles()
    const settings = [
      `tls_cert_file = "${certFile}"`,
      `tls_key_file = "${keyFile}"`,
      `tls_client_ca_file = "${clientCaFile}"`,
      'tls_require_and_verify_client_cert = true',
    ]
    const path = file('mutual.hcl', `listener "tcp" {\n${settings.join('\n')}\n}`)
    const server = await startServer(
      await config([`-config=${path}`, ...ports, '--log-level=silent']),
    )
    try {
      const { VAULT_ADDR: url = '', UNDERSTUDY_CONTROL_URL: control = '' } = server.env
      const lines = server.productLines('configured')
      expect(lines).toContain('==> Vault server started! Log data will stream in below:')
      expect(lines.join('\n')).not.toMatch(/Root Token|dev mode/)
      const { ca } = issued
      await expect(exchange(`${url}/v1/sys/health`, { ca })).rejects.toThrow()
      expect(await exchange(`${control}/info`, { ca })).toMatchObject([200, {}])
      const certificate = { ca, cert: client.cert, key: client.key }
      const put = (operation: string, body: object) =>
        exchange(
          `${url}/v1/sys/${operation}`,
          { ...certificate, method: 'PUT' },
          JSON.stringify(body),
        )
      const [status, shares] = await put('init', { secret_shares: 1, secret_threshold: 1 })
      expect(status).toBe(200)
      const { keys_base64: keys, root_token: token } = shares as Record<string, string[]>
      expect(await put('unseal', { key: keys?.[0] })).toMatchObject([200, { sealed: false }])
      const headers = { 'x-vault-token': String(token) }
      const [, mounts] = await exchange(`${url}/v1/sys/mounts`, { ...certificate, headers })
      const { data } = mounts as { data: object }
      expect(Object.keys(data).sort()).toEqual(['cubbyhole/', 'identity/', 'sys/'])
    } finally {
      await server.close()
    }
  })
})
