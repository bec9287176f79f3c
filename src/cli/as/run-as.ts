import { readFileSync, writeFileSync } from 'node:fs'
import { textAt } from '../capture/real-server.ts'
import {
  CommandFailure,
  type CommandOutput,
  flagOf,
  type ProductCall,
  ProductClient,
  parseArguments,
  readFileOrStdin,
} from './product-call.ts'
import { runConsul } from './run-consul.ts'
import { runVault } from './vault-command.ts'

function renderToken(token: unknown): string {
  return ['AccessorID', 'SecretID', 'Description']
    .map((name) => `${`${name}:`.padEnd(18)}${textAt(token, name)}\n`)
    .join('')
}

/**
 * Runs a setup command of `nomad`. Returns its output. Throws a `CommandFailure` if the command is
 * not supported or fails.
 */
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

const commands: Readonly<Record<string, (call: ProductCall) => Promise<CommandOutput>>> = {
  vault: runVault,
  consul: runConsul,
  nomad: runNomad,
}

const files = {
  readBytes: (name: string) => readFileSync(name),
  writeFile: (name: string, content: string | Uint8Array) => writeFileSync(name, content),
}

/** Output of a command: `text` goes to standard output, `line` to standard error. */
export type ProductCommandResult =
  | { readonly code: number; readonly text: string }
  | { readonly code: number; readonly line: string }

/**
 * Runs a product's command for scripts that set up a server inside its container
 * (behaviour/program#drop-in): `vault kv put`, `consul acl bootstrap` and a few more. For an
 * unknown product and for a `CommandFailure`, the result is an exit code and an error message in
 * one line.
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
    const output = await command({ argv: rest, env, stdin, ...files })
    return typeof output === 'string' ? { code: 0, text: output } : output
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { code: error.code, line: error.message }
  }
}
