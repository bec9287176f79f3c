import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { run } from './process.ts'
import { projectPath, type TestServer } from './results.ts'
import { configurations } from './terraform-configurations.ts'

interface CommandResult {
  readonly code: number
  readonly text: string
}

/**
 * Environment of a user of the command: directories with configurations, and the platform's
 * address.
 */
export interface TerraformSandbox {
  /** Platform module with tests, in the form that the command's flag expects. */
  readonly module: string
  /** Runs the command in one of the configurations. */
  call(configuration: string, ...argv: string[]): Promise<CommandResult>
  /** Runs the command in a configuration and interrupts it once its output contains a text. */
  interrupt(configuration: string, at: string, ...argv: string[]): Promise<string>
  /** Reads a file of a configuration. */
  read(path: string): string
  /** Sends a request to the platform's API as an owner. Returns `data` of the answer. */
  ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>
  /** Sends a POST request with an empty object; ignores the reply. */
  act(path: string): Promise<void>
  /** Folder with the configurations. */
  readonly folder: string
  /** Uploads bytes to an upload URL of the platform. */
  upload(address: string, bytes: Buffer): Promise<void>
}

/**
 * Creates the directories and the command's settings.
 *
 * @param providerFolders folders with the binaries of providers, by name of the provider
 */
export async function terraformSandbox(
  { readyFile, folder }: TestServer,
  command: string,
  providerFolders: Readonly<Record<string, string>>,
): Promise<TerraformSandbox> {
  const { platform, secrets } = JSON.parse(readFileSync(readyFile, 'utf8')).services
  const authority = join(folder, 'tls/ca.pem')
  const { host } = new URL(platform.url)
  const files = configurations({ host, siteAdmin: platform.tokens.siteAdmin })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  cpSync(projectPath('test/clients/terraform'), folder, { recursive: true })
  const settings = join(folder, 'settings.tfrc')
  writeFileSync(settings, settingsFor(host, platform.tokens.owner, providerFolders))
  const env = {
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    SSL_CERT_FILE: authority,
    TFE_HOSTNAME: host,
    TFE_TOKEN: platform.tokens.siteAdmin,
    VAULT_ADDR: secrets.url,
    VAULT_TOKEN: secrets.token,
  }
  const send = sender(authority, platform.tokens.owner)
  return {
    module: `${host}/${platform.organization}/network/cloud1`,
    async call(configuration, ...argv) {
      const cwd = join(folder, configuration)
      const ended = await run(command, argv, { cwd, env, limit: 60_000 })
      return { code: ended.code, text: ended.stdout + ended.stderr }
    },
    interrupt: (configuration, at, ...argv) =>
      new Promise((resolve, reject) => {
        const child = spawn(command, argv, {
          cwd: join(folder, configuration),
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'ignore'],
          timeout: 60_000,
        })
        let text = ''
        let isInterrupted = false
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (isInterrupted || !text.includes(at)) return
          isInterrupted = true
          child.kill('SIGINT')
        })
        child.once('error', reject)
        child.once('close', () => resolve(text))
      }),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    async ask(method, path, body) {
      const text = await send(method, `${platform.url}/api/v2/${path}`, JSON.stringify(body ?? {}))
      return JSON.parse(text).data
    },
    async act(path) {
      await send('POST', `${platform.url}/api/v2/${path}`, '{}')
    },
    folder,
    async upload(address, bytes) {
      await send('PUT', address, bytes)
    },
  }
}

function settingsFor(
  host: string,
  token: string,
  providerFolders: Readonly<Record<string, string>>,
): string {
  const overrides = Object.entries(providerFolders).map(
    ([name, folder]) => `"hashicorp/${name}" = "${folder}"`,
  )
  return `
    disable_checkpoint = true
    credentials "${host}" { token = "${token}" }
    provider_installation {
      ${overrides.length === 0 ? '' : `dev_overrides {\n${overrides.join('\n')}\n}`}
      direct {}
    }
  `
}

/**
 * Returns a function that sends requests over TLS and trusts the certificate authority in a file.
 * Throws on failure responses.
 */
function sender(authority: string, token: string) {
  const ca = readFileSync(authority)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/vnd.api+json',
  }
  return (method: string, address: string, body: string | Buffer): Promise<string> =>
    new Promise((resolve, reject) => {
      const call = request(address, { method, ca, headers, agent: false }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if ((reply.statusCode ?? 500) < 300) resolve(text)
          else reject(new Error(`${method} ${address}: ${reply.statusCode} ${text}`))
        })
      })
      call.once('error', reject)
      call.end(body)
    })
}
