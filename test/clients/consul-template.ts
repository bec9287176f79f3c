import { match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare } from './process.ts'
import {
  type CapabilityResult,
  type ClientSuite,
  projectPath,
  type TestServer,
  Unavailable,
} from './results.ts'
import { openWorld } from './server.ts'
import {
  type CommandSandbox,
  type CommandTrial,
  outputOf,
  runTrials,
  sandboxFor,
} from './trials.ts'

const builtVersion = '0.41.1'
const client = 'consul-template'

/**
 * Suite of the command that renders templates from secrets, keys and services.
 * `UNDERSTUDY_CONSUL_TEMPLATE` is its path; 1 builds it from its Go module, once.
 */
export const consulTemplateSuite: ClientSuite = {
  language: 'Templates',
  clients: [client],
  run: runTemplates,
}

const template = `{{ range service "web" }}{{ .ID }}={{ .Port }} {{ end }}
color={{ key "app/color" }} mode={{ keyOrDefault "app/mode" "plain" }}
{{ range ls "app" }}{{ .Key }} {{ end }}{{ range services }}{{ .Name }} {{ end }}
{{ range nodes }}{{ .Address }}{{ end }} {{ range service "web|any" }}{{ .Status }} {{ end }}
`

async function runTemplates(served: TestServer): Promise<readonly CapabilityResult[]> {
  const setting = process.env['UNDERSTUDY_CONSUL_TEMPLATE'] ?? ''
  if (setting === '') throw new Unavailable('UNDERSTUDY_CONSUL_TEMPLATE names no command')
  const path = setting === '1' ? await build(served) : setting
  const { stdout, stderr } = await prepare(path, ['-version'], { limit: 30_000 })
  const version = `v${/consul-template v(\S+)/.exec(stdout + stderr)?.[1] ?? ''}`
  const result = { client, version, language: consulTemplateSuite.language }
  return [
    ...(await runTrials(result, ...(await secretsTrials(served, path)))),
    ...(await runTrials(result, ...(await meshTrials(served, path)))),
  ]
}

/** Returns the path of the command, which is built on the first call and reused by later runs. */
async function build(served: TestServer): Promise<string> {
  const bin = projectPath(`node_modules/.cache/clients/consul-template-${builtVersion}`)
  const path = join(bin, client)
  if (existsSync(path)) return path
  const env = { GOBIN: bin, GOFLAGS: '-mod=mod' }
  const module = `github.com/hashicorp/consul-template@v${builtVersion}`
  await prepare('go', ['install', module], { cwd: served.folder, env, limit: 300_000 })
  return path
}

type Trials = readonly [Readonly<Record<string, CommandTrial>>, CommandSandbox]

/** Returns the trials of the secrets API, whose mounts are their own. */
async function secretsTrials(served: TestServer, path: string): Promise<Trials> {
  const { services } = JSON.parse(readFileSync(served.readyFile, 'utf8'))
  const { url, token } = services.secrets
  const write = async (at: string, body: object) => {
    const headers = { 'X-Vault-Token': token }
    const reply = await fetch(`${url}/v1/${at}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${at}: ${await reply.text()}`)
  }
  await write('sys/mounts/template-pki', { type: 'pki' })
  await write('template-pki/root/generate/internal', { common_name: 'Root', ttl: '87600h' })
  await write('template-pki/roles/web', { allow_any_name: true })
  await write('sys/mounts/template-kv', { type: 'kv', options: { version: '2' } })
  await write('template-kv/data/app', { data: { color: 'blue' } })
  const sandbox = sandboxFor(served, path, { VAULT_ADDR: url, VAULT_TOKEN: token })
  const once = async (text: string): Promise<string> => {
    sandbox.write('in.ctmpl', text)
    await outputOf(sandbox, '-once', '-vault-renew-token=false', '-template=in.ctmpl:out.txt')
    return readFileSync(join(served.folder, 'out.txt'), 'utf8')
  }
  const trials: Readonly<Record<string, CommandTrial>> = {
    async 'secret and secrets: values and names'() {
      const text =
        '{{ with secret "template-kv/data/app" }}{{ .Data.data.color }}{{ end }} {{ range secrets "template-kv/metadata/" }}{{ . }}{{ end }}'
      match(await once(text), /^blue app$/)
    },
    async 'pkiCert: a certificate with its key and CA'() {
      const text =
        '{{ with pkiCert "template-pki/issue/web" "common_name=a.test" }}{{ .Cert }}{{ .CA }}{{ .Key }}{{ end }}'
      const out = await once(text)
      match(out, /^(?:-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n){2}/)
      match(out, /-----BEGIN RSA PRIVATE KEY-----/)
    },
  }
  return [trials, sandbox]
}

/** Returns the trials of the mesh API, which run in a world of their own. */
async function meshTrials(served: TestServer, path: string): Promise<Trials> {
  const [url, token] = await openWorld(served)
  const put = async (at: string, body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'X-Consul-Token': token }
    const { status } = await fetch(`${url}/v1/${at}`, { method: 'PUT', headers, body: text })
    if (status !== 200) throw new Error(`${at}: ${status}`)
  }
  const input = join(served.folder, 'web.ctmpl')
  const output = join(served.folder, 'web.txt')
  const flags = [`-consul-addr=${url}`, `-consul-token=${token}`, `-template=${input}:${output}`]
  /** Waits until the output file has a text that matches. */
  const outputMatches = async (pattern: RegExp) => {
    const end = Date.now() + 20_000
    for (;;) {
      const text = existsSync(output) ? readFileSync(output, 'utf8') : ''
      if (pattern.test(text) || Date.now() > end) return match(text, pattern)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const trials: Readonly<Record<string, CommandTrial>> = {
    async 'a template of services, nodes and keys'(sandbox) {
      writeFileSync(input, template)
      for (const [ID, Port] of Object.entries({ w1: 81, w2: 82 })) {
        const Check = { TTL: '1h', Status: 'passing' }
        await put('agent/service/register', { ID, Name: 'web', Port, Check })
      }
      await put('agent/check/fail/service:w2', '')
      await put('kv/app/color', 'blue')
      await outputOf(sandbox, ...flags, '-once')
      await outputMatches(
        /^w1=81 \ncolor=blue mode=plain\ncolor consul web \n127\.0\.0\.1 passing critical/,
      )
    },
    async 'the file follows checks and keys'() {
      const command = execFile(path, [...flags], () => {})
      try {
        await put('agent/check/pass/service:w2', '')
        await outputMatches(/^w1=81 w2=82 \n/)
        await put('kv/app/color', 'green')
        await outputMatches(/color=green/)
        await put('kv/app/mode', 'bright')
        await outputMatches(/mode=bright\ncolor mode /)
        await put('agent/service/deregister/w1', '')
        await outputMatches(/^w2=82 \n/)
      } finally {
        command.kill()
      }
    },
  }
  return [trials, sandboxFor(served, path, {})]
}
