import { readFileSync } from 'node:fs'
import { textAt } from '../capture/real-server.ts'
import {
  argumentText,
  CommandFailure,
  flagOf,
  type ProductCall,
  ProductClient,
  parseArguments,
  readFileOrStdin,
} from './product-call.ts'
import { runVault } from './vault-command.ts'

/** Runs a setup command of `consul`. Returns its output. */
async function runConsul(call: ProductCall): Promise<string> {
  const { argv, env } = call
  const parsed = parseArguments(argv.slice(2))
  const [key = '', value = ''] = parsed.positionals
  const server = new ProductClient(env['CONSUL_HTTP_ADDR'] || '127.0.0.1:8500', {
    'X-Consul-Token': flagOf(parsed, 'token') ?? env['CONSUL_HTTP_TOKEN'],
  })
  const path = `kv/${key.split('/').map(encodeURIComponent).join('/')}`
  switch (argv.slice(0, 2).join(' ')) {
    case 'kv put':
      await server.send('PUT', path, argumentText(value, call))
      return `Success! Data written to: ${key}\n`
    case 'kv get': {
      const { value: entries } = await server.send('GET', path)
      const [entry]: unknown[] = Array.isArray(entries) ? entries : []
      return `${Buffer.from(textAt(entry, 'Value'), 'base64')}\n`
    }
    case 'kv delete':
      await server.send('DELETE', path)
      return `Success! Deleted key: ${key}\n`
    case 'acl bootstrap': {
      const { value: token } = await server.send('PUT', 'acl/bootstrap')
      return renderToken(token)
    }
  }
  throw new CommandFailure(
    `consul ${argv.slice(0, 2).join(' ')} is not supported here; supported are kv put, kv get, kv delete, acl bootstrap`,
  )
}

function renderToken(token: unknown): string {
  return ['AccessorID', 'SecretID', 'Description']
    .map((name) => `${`${name}:`.padEnd(18)}${textAt(token, name)}\n`)
    .join('')
}

/** Runs a setup command of `nomad`. Returns its output. */
async function runNomad(call: ProductCall): Promise<string> {
  const { argv, env } = call
  const parsed = parseArguments(argv.slice(2), ['detach', 'json'])
  const [word = ''] = parsed.positionals
  const server = new ProductClient(env['NOMAD_ADDR'] || 'http://127.0.0.1:4646', {
    'X-Nomad-Token': flagOf(parsed, 'token') ?? env['NOMAD_TOKEN'],
  })
  switch (argv.slice(0, 2).join(' ')) {
    case 'job run': {
      const text = readFileOrStdin(word, call)
      const body = { JobHCL: text, Canonicalize: true }
      const job = /^\s*\{/.test(text)
        ? parseJob(text)
        : (await server.send('POST', 'jobs/parse', body)).value
      const namespace = flagOf(parsed, 'namespace') ?? env['NOMAD_NAMESPACE'] ?? ''
      const query = namespace === '' ? '' : `?namespace=${encodeURIComponent(namespace)}`
      const { value } = await server.send('POST', `jobs${query}`, { Job: job })
      return `Job registration successful\nEvaluation ID: ${textAt(value, 'EvalID')}\n`
    }
    case 'namespace apply': {
      const Description = flagOf(parsed, 'description') ?? ''
      await server.send('POST', 'namespace', { Name: word, Description })
      return `Successfully applied namespace "${word}"!\n`
    }
    case 'acl bootstrap':
      return renderToken((await server.send('POST', 'acl/bootstrap')).value)
  }
  throw new CommandFailure(
    `nomad ${argv.slice(0, 2).join(' ')} is not supported here; supported are job run, namespace apply, acl bootstrap`,
  )
}

function parseJob(text: string): unknown {
  try {
    const job: unknown = JSON.parse(text)
    return typeof job === 'object' && job !== null && 'Job' in job ? job.Job : job
  } catch {
    throw new CommandFailure('the job is not valid JSON')
  }
}

const commands: Readonly<Record<string, (call: ProductCall) => Promise<string>>> = {
  vault: runVault,
  consul: runConsul,
  nomad: runNomad,
}

/** Output of a command: standard output if it succeeds, standard error if it fails. */
export type ProductCommandResult =
  | { readonly code: 0; readonly text: string }
  | { readonly code: number; readonly line: string }

/**
 * Runs a product's command for scripts that set a server up inside its container
 * (behaviour/program#drop-in): `vault kv put`, `consul acl bootstrap` and a few more.
 *
 * @param argv name of the product, followed by the command's arguments
 */
export async function runAs(
  argv: readonly string[],
  env: ProductCall['env'],
  stdin: () => string = () => readFileSync(0, 'utf8'),
): Promise<ProductCommandResult> {
  const [product = '', ...rest] = argv
  const command = Object.hasOwn(commands, product) ? commands[product] : undefined
  if (command === undefined) {
    return { code: 2, line: `as needs a product: ${Object.keys(commands).join(', ')}` }
  }
  try {
    return { code: 0, text: await command({ argv: rest, env, stdin }) }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { code: error.code, line: error.message }
  }
}
