import { match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare } from './process.ts'
import { type CapabilityResult, type ClientSuite, type TestServer, Unavailable } from './results.ts'
import { type CommandTrial, outputOf, runTrials, sandboxFor } from './trials.ts'

const command = 'consul-template'

/** Suite of consul-template, whose path is `UNDERSTUDY_CONSUL_TEMPLATE`. */
export const consulTemplateSuite: ClientSuite = {
  language: 'Templates',
  clients: [command],
  run: runTemplates,
}

async function runTemplates(served: TestServer): Promise<readonly CapabilityResult[]> {
  const { UNDERSTUDY_CONSUL_TEMPLATE: path } = process.env
  if (path === undefined) throw new Unavailable('UNDERSTUDY_CONSUL_TEMPLATE names no command')
  const { stdout, stderr } = await prepare(path, ['-version'], { limit: 30_000 })
  const version = /consul-template v(\S+)/.exec(stdout + stderr)?.[1] ?? ''
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
  // Mounts of its own, because the suites run at the same time.
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
  const client = { client: command, version, language: consulTemplateSuite.language }
  return runTrials(client, trials, sandbox)
}
